import ArgumentParser

/// `bleota-fleet campaign`: what an operator wants of a fleet.
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Make, steer and look at campaigns.",
        subcommands: [
            CreateCampaign.self,
            StartCampaign.self,
            PauseCampaign.self,
            ResumeCampaign.self,
            StopCampaign.self,
            DeleteCampaign.self,
            CampaignStatus.self,
            WatchCampaign.self,
            ListCampaigns.self,
        ]
    )
}
