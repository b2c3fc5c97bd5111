import ArgumentParser
import Glibc

/// Shell completion of a target: first a scheme, such as `unix:`, then a path.
enum TargetCompletion {
    /// For commands that use only bleota's own protocol.
    static let own = kind(ownSchemes)
    /// For commands that use only SMP.
    static let smp = kind(smpSchemes)
    static let all = kind(ownSchemes + smpSchemes)

    private static let ownSchemes = ["unix:", "serial:"]
    private static let smpSchemes = ["smp+udp:", "smp+serial:", "smp+raw:"]

    private static func kind(_ schemes: [String]) -> CompletionKind {
        .custom { _, _, prefix in candidates(for: prefix, schemes) }
    }

    /// The values that begin with a prefix, in the syntax of the requesting shell.
    private static func candidates(for prefix: String, _ schemes: [String]) -> [String] {
        let scheme = schemes.first { prefix.hasPrefix($0) }
        let values =
            scheme.map { scheme in
                scheme.hasSuffix("udp:")
                    ? [] : paths(startingWith: prefix.dropFirst(scheme.count)).map { scheme + $0 }
            } ?? schemes.filter { $0.hasPrefix(prefix) }
        // In zsh a colon separates a value from its description.
        guard CompletionShell.requesting == .zsh else { return values }
        return values.map { $0.replacing(":", with: "\\:") }
    }

    private static func paths(startingWith prefix: Substring) -> [String] {
        let directory = prefix.lastIndex(of: "/").map { prefix[...$0] } ?? ""
        let start = prefix[directory.endIndex...]
        guard let entries = opendir(directory.isEmpty ? "." : String(directory)) else { return [] }
        defer { closedir(entries) }
        var paths: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(start), start.hasPrefix(".") || !name.hasPrefix(".") else {
                continue
            }
            let isDirectory = entry.pointee.d_type == UInt8(DT_DIR)
            paths.append("\(directory)\(name)\(isDirectory ? "/" : "")")
        }
        return paths.sorted()
    }

    // MARK: - Bash

    /// The parser's completion script for bash, extended to complete targets. Any other text is
    /// returned unchanged.
    ///
    /// Bash ends a word at a colon, so the parser's script mistakes the path of a target for an
    /// argument of the command.
    static func extended(_ script: String) -> String {
        guard script.hasPrefix("#!/bin/bash\n") else { return script }
        return script.replacing(
            "\n_bleota() {\n",
            with: "\n\(bashFunction)\n\n_bleota() {\n    __bleota_complete_target && return\n\n",
            maxReplacements: 1
        )
    }

    private static let bashFunction = ##"""
        # Completes the value of --connect or --listen: a scheme, such as unix:, and paths after it.
        __bleota_complete_target() {
            local -r line="${COMP_LINE:0:COMP_POINT}"
            local -r option='[[:space:]]--(connect|listen)[[:space:]=]+'
            local -r target='((unix|serial|smp\+(udp|serial|raw)):)?([^[:space:]]*)$'
            [[ ${line} =~ ${option}${target} ]] || return 1
            local -r scheme="${BASH_REMATCH[2]}" rest="${BASH_REMATCH[5]}"
            local command value
            COMPREPLY=()
            if [[ -z ${scheme} ]]; then
                local schemes='\##(ownSchemes.joined(separator: " "))'
                read -r _ command _ <<<"${line}"
                case ${command} in
                device) schemes='\##(smpSchemes.joined(separator: " "))' ;;
                push | receive) schemes+=' \##(smpSchemes.joined(separator: " "))' ;;
                esac
                compopt -o nospace 2>/dev/null
                while IFS='' read -r value; do
                    COMPREPLY+=("${value}")
                done < <(compgen -W "${schemes}" -- "${rest}")
                return 0
            fi
            [[ ${scheme} != smp+udp: ]] || return 0
            compopt -o filenames 2>/dev/null
            # If a colon does not end words here, the value includes the scheme.
            local prefix=''
            [[ ${COMP_WORDBREAKS} = *:* ]] || prefix="${scheme}"
            while IFS='' read -r value; do
                COMPREPLY+=("${prefix}${value}")
            done < <(compgen -f -- "${rest}")
            return 0
        }
        """##
}
