//! The address of the service, and the credentials for it. Credentials are read only from the
//! environment, because every user of a machine can see the arguments of a program.

use std::net::IpAddr;
use ureq::http::{HeaderValue, Uri};

pub(crate) struct Origin {
    /// The address, without a slash at its end.
    pub(crate) url: String,
    pub(crate) username: String,
    pub(crate) password: String,
}

impl Origin {
    /// Returns the origin for an address, with the credentials of the environment.
    pub(crate) fn read(url: &str) -> Result<Origin, String> {
        Ok(Origin {
            url: address(url)?,
            username: secret("ROLLBOOK_USERNAME")?,
            password: secret("ROLLBOOK_PASSWORD")?,
        })
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.starts_with("https:")
    }
}

/// Returns a secret of the environment, which can be sent in a header.
pub(crate) fn secret(name: &str) -> Result<String, String> {
    match std::env::var(name) {
        Ok(value) if HeaderValue::from_str(&value).is_err() => {
            Err(format!("{name} has a character that no header may have"))
        }
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(format!("set {name} in the environment")),
    }
}

/// Parses an origin to which credentials may be sent.
fn address(text: &str) -> Result<String, &'static str> {
    let uri = confidential(text)?;
    if uri.path() != "/" || uri.query().is_some() {
        return Err("--from has no path: the calls bring their own");
    }
    Ok(uri.to_string().trim_end_matches('/').to_owned())
}

/// Parses an address to which credentials may be sent: over TLS, or within this machine.
pub(crate) fn confidential(text: &str) -> Result<Uri, &'static str> {
    const FORM: &str = "--from is an address as https://integrate.example";
    let uri: Uri = text.parse().map_err(|_| FORM)?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(FORM);
    };
    if authority.as_str().contains('@') {
        return Err("--from has no credentials: they are in the environment");
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
    Ok(uri)
}
