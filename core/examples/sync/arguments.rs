//! What it is told: by arguments, and the credentials by the environment alone, since
//! arguments are seen by everybody on a machine.

use std::error::Error;
use std::net::IpAddr;
use std::path::PathBuf;
use ureq::http::{HeaderValue, Uri};

pub(crate) const HELP: &str = "\
Fills a store from the service, and keeps it in step. Run again, it goes on or refreshes.

  --from URL       where the service is, as https://integrate.example
  --school ID      the school's id
  --store FILE     the store; it is made if there is none
  --now INSTANT    what time it is, as 2026-05-14T08:00:00Z, if the service's clock is fixed

ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD in the environment are the integrator's credentials.";

pub(crate) struct Arguments {
    /// Without a slash at its end.
    pub(crate) from: String,
    pub(crate) school: u64,
    pub(crate) store: PathBuf,
    pub(crate) username: String,
    pub(crate) password: String,
    /// How far ahead of the system's clock it is, in seconds.
    ahead: i64,
}

impl Arguments {
    /// Nothing if help is asked for.
    pub(crate) fn read() -> Result<Option<Arguments>, Box<dyn Error>> {
        use lexopt::prelude::*;
        let (mut from, mut school, mut store, mut ahead) = (None, None, None, 0);
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("from") => from = Some(address(&parser.value()?.string()?)?),
                Long("school") => school = Some(parser.value()?.parse()?),
                Long("store") => store = Some(parser.value()?.into()),
                Long("now") => {
                    let now: jiff::Timestamp = parser.value()?.parse()?;
                    ahead = now.as_second() - jiff::Timestamp::now().as_second();
                }
                Long("help") | Short('h') => return Ok(None),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Some(Arguments {
            from: from.ok_or("--from is missing")?,
            school: school.ok_or("--school is missing")?,
            store: store.ok_or("--store is missing")?,
            username: secret("ROLLBOOK_USERNAME")?,
            password: secret("ROLLBOOK_PASSWORD")?,
            ahead,
        }))
    }

    pub(crate) fn is_https(&self) -> bool {
        self.from.starts_with("https:")
    }

    /// The instant, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) fn now(&self) -> i64 {
        jiff::Timestamp::now().as_second() + self.ahead
    }
}

fn secret(name: &str) -> Result<String, String> {
    match std::env::var(name) {
        Ok(value) if HeaderValue::from_str(&value).is_err() => {
            Err(format!("{name} has a character that no header may have"))
        }
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(format!("set {name} in the environment")),
    }
}

/// An origin to which credentials may be sent: over TLS, or within this machine.
fn address(text: &str) -> Result<String, &'static str> {
    const FORM: &str = "--from is an address as https://integrate.example";
    let uri: Uri = text.parse().map_err(|_| FORM)?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(FORM);
    };
    if authority.as_str().contains('@') {
        return Err("--from has no credentials: they are in the environment");
    }
    if uri.path() != "/" || uri.query().is_some() {
        return Err("--from has no path: the calls bring their own");
    }
    let host = authority.host();
    let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let is_here = host.eq_ignore_ascii_case("localhost") || ip.is_some_and(|ip| ip.is_loopback());
    match scheme {
        "https" => {}
        "http" if is_here => {}
        "http" => {
            return Err("credentials go to other machines by https only: \
                        name the service's https address");
        }
        _ => return Err(FORM),
    }
    Ok(format!("{scheme}://{authority}"))
}
