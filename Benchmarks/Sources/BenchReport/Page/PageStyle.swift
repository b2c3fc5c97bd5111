/// The style of the page, light and dark.
///
/// The six colours of series were searched for: any two lie 27 or more apart in CIELAB, for normal
/// vision and for each of the three colour deficiencies (in the model of Machado and others, 2009),
/// and 5 or more in lightness alone; each has a contrast of 3.2 to 1 or more with its background.
enum PageStyle {
    static let css = """
        :root { color-scheme: light dark; --back: #ffffff; --text: #1d2127; --soft: #565d68;
          --grid: #dfe2e7; --base: #6b727d; --panel: #f5f6f8; --s0: #16171a; --s1: #143d8b;
          --s2: #641a03; --s3: #1b9e73; --s4: #d800e3; --s5: #7f6d07; }
        @media (prefers-color-scheme: dark) { :root { --back: #14171b; --text: #e6e8eb;
          --soft: #a9b0ba; --grid: #30353d; --base: #8b929d; --panel: #1d2127; --s0: #f2f7ff;
          --s1: #3692ff; --s2: #e9392e; --s3: #4cff99; --s4: #b03989; --s5: #ffc100; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 980px; padding: 24px 16px 64px; background: var(--back);
          color: var(--text); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
        h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2.5rem; font-size: 1.3rem; }
        h3 { font-size: 1.05rem; } code { font-size: .9em; overflow-wrap: anywhere; }
        a { color: var(--s1); } nav ul { padding-left: 1.2rem; }
        figure { margin: 1.5rem 0 2.5rem; } figcaption p { margin: .3rem 0; }
        .caption { font-weight: 600; margin: 1.2rem 0 .5rem; }
        .badge { display: inline-block; padding: 0 .5em; border: 1.5px solid currentColor;
          border-radius: 4px; font-size: .8rem; font-weight: 600; line-height: 1.5; }
        .badge.simulated { border-style: dashed; }
        .legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: .6rem 0; padding: 0;
          list-style: none; font-size: .9rem; }
        .legend li { display: flex; align-items: center; gap: 8px; }
        .legend svg { height: 16px; width: auto; flex: none; }
        .wide svg, .narrow svg { display: block; width: 100%; height: auto; }
        .narrow { display: none; }
        @media (max-width: 640px) { .wide { display: none; } .narrow { display: block; } }
        .label, .axis { fill: var(--text); font: 12.5px system-ui, "DejaVu Sans", sans-serif; }
        .axis { fill: var(--soft); } .strong { font-weight: 700; }
        .grid { stroke: var(--grid); stroke-width: 1; } .base { stroke: var(--base); }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .mark { stroke: var(--back); stroke-width: .5; }
        .dot { stroke: none; }
        .mark.open { fill: none; stroke-width: 2; }
        .bar { stroke-width: 1.5; } .hatch { stroke-width: 3; }
        .d1 { stroke-dasharray: 9 4; } .d2 { stroke-dasharray: 2 4; }
        .d3 { stroke-dasharray: 10 4 2 4; } .d4 { stroke-dasharray: 5 3; }
        .d5 { stroke-dasharray: 14 4; }
        \((0...5).map(seriesRules).joined(separator: "\n"))
        .scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem;
          font-variant-numeric: tabular-nums; }
        th, td { padding: 3px 9px; text-align: right; white-space: nowrap;
          border-bottom: 1px solid var(--grid); }
        th { background: var(--panel); } th:first-child, td:first-child { text-align: left; }
        tbody tr:nth-child(even) td { background: var(--panel); }
        details { margin: .6rem 0; } summary { cursor: pointer; font-weight: 600; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; }
        dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
        """

    private static func seriesRules(_ number: Int) -> String {
        let colour = "var(--s\(number))"
        return """
            .line.s\(number), .mark.open.s\(number), .bar.s\(number), .hatch.s\(number) \
            { stroke: \(colour); }
            .mark.s\(number):not(.open), .bar.s\(number) { fill: \(colour); }
            """
    }
}
