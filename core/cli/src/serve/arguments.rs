//! The arguments of `rollbook serve`.

use crate::args::{parse_duration, parse_instant};
use std::path::PathBuf;
use std::time::Duration;

/// The maximum number of learners of a generated school, whose data is in memory.
const MAX_LEARNERS: i64 = 100_000;

/// Serve the API over HTTP.
///
/// Without arguments, the sample schools are served on 127.0.0.1:8600, as on the day of their data.
/// SIGTERM and Ctrl-C stop the server: requests in progress can finish, and other connections are
/// closed. A second signal ends the server at once.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store, which is created if it does not exist. The default is a store in
    /// memory.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub(super) store: Option<PathBuf>,
    /// A dataset to load first, which can be compressed with gzip. Can be repeated. - is stdin.
    #[arg(long = "dataset", value_name = "FILE", help_heading = "Data")]
    pub(super) datasets: Vec<PathBuf>,
    /// Load the datasets again when their files change. Records of schools that are no longer in a
    /// file are removed. Only for a store in memory.
    #[arg(
        long,
        requires = "datasets",
        conflicts_with = "store",
        help_heading = "Data"
    )]
    pub(super) watch: bool,
    /// Serve a generated school with this many learners from memory, instead of the sample schools.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_LEARNERS), conflicts_with_all = ["store", "datasets", "from"], help_heading = "Data")]
    pub(super) learners: Option<u32>,
    /// The time of the server, for example 2026-05-14T08:00:00Z. The default is that of the system.
    #[arg(long, value_name = "INSTANT", value_parser = parse_instant, help_heading = "Data")]
    pub(super) now: Option<i64>,
    /// Let clients set the time: `PUT /clock` with an instant, `DELETE /clock` to reset it.
    #[arg(long, help_heading = "Data")]
    pub(super) allow_clock: bool,

    /// The address or only the port. The default address is 127.0.0.1; port 0 is any free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8600", value_parser = parse_listen, help_heading = "Network")]
    pub(super) listen: String,
    /// An origin whose pages may ask, for example http://localhost:3000, or * for any. Can be
    /// repeated.
    #[arg(long, value_name = "ORIGIN", help_heading = "Network")]
    pub(super) cors: Vec<String>,
    /// Serve https, with the certificate chain and the private key in these PEM files.
    #[arg(long, num_args = 2, value_names = ["CERTIFICATE", "KEY"], help_heading = "Network")]
    pub(super) tls: Option<Vec<PathBuf>>,
    /// How long requests in progress may take when the server stops.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = parse_duration, help_heading = "Network")]
    pub(super) grace: Duration,
    /// Log no requests.
    #[arg(long, short, help_heading = "Network")]
    pub(super) quiet: bool,

    /// Inject faults: one answer of eight is a 429 (with or without Retry-After), 500 or 503, an
    /// HTML page with status 200, cut in its middle, late, or the second to a request that is
    /// carried out twice. The seed and the number of a request determine its fault.
    #[arg(long, value_name = "SEED", help_heading = "Faults")]
    pub(super) faults: Option<u64>,
    /// Delay each answer of the API.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Faults")]
    pub(super) delay: Option<Duration>,

    /// Let devices with this bearer token follow a scope at /feed: the number of a school (1000),
    /// or learners of it (1000:1,2). Several schools are joined by +. Can be repeated.
    #[arg(long, value_name = "TOKEN=SCOPE", help_heading = "Devices")]
    pub(super) feed: Vec<String>,

    /// Sync schools from the service at this address, for example https://integrate.example. The
    /// credentials are ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD in the environment.
    #[arg(long, value_name = "URL", help_heading = "Sync")]
    pub(super) from: Option<String>,
    /// A school to sync. Can be repeated.
    #[arg(long = "school", value_name = "ID", help_heading = "Sync")]
    pub(super) schools: Vec<u64>,
    /// How long after a pass the next one begins, at most a year. The default is 15m.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Sync")]
    pub(super) every: Option<Duration>,
}

/// The data that is served.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// The sample schools.
    Sample,
    /// A generated school with this many learners.
    Generated(u32),
    /// The data of a store, of datasets or of the service.
    Own,
}

impl Arguments {
    pub(super) fn content(&self) -> Content {
        match self.learners {
            Some(learners) => Content::Generated(learners),
            None if self.store.is_none() && self.datasets.is_empty() && self.from.is_none() => {
                Content::Sample
            }
            None => Content::Own,
        }
    }
}

/// Parses an address, or a port of 127.0.0.1.
fn parse_listen(text: &str) -> Result<String, String> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
    match port.parse::<u16>() {
        Ok(port) if !host.is_empty() => Ok(format!("{host}:{port}")),
        _ => Err("give a port or an address, for example 8600 or 0.0.0.0:8600".to_owned()),
    }
}

const EXAMPLES: &str = "\
Examples:
  rollbook serve
      Serves the sample schools. The login and requests to try are printed.
  rollbook serve --learners 1000
      Serves a generated school with the marks of this year.
  rollbook serve --store school.redb --dataset school.ndjson
      Loads a dataset into a file, and serves it.
  rollbook serve --cors http://localhost:3000 --faults 3
      Lets a page in development ask, and shows how it copes with faults.
  ROLLBOOK_USERNAME=… ROLLBOOK_PASSWORD=… rollbook serve --store school.redb \\
      --from https://integrate.example --school 1000 --feed family=1000:1,2
      Syncs a school, and lets a device follow two learners.";
