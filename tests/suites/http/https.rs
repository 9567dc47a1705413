//! `rollbook serve` over https. The certificate is for `localhost`, and signs itself.

use super::server;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

const CERTIFICATE: &str = include_str!("https/certificate.pem");

fn tls(certificate: &str, key: &str) -> Command {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/suites/http/https"));
    let mut command = server::serve();
    command.arg("--tls").arg(folder.join(certificate));
    command.arg(folder.join(key));
    command
}

#[test]
fn a_client_that_trusts_the_certificate_is_answered() {
    let mut process = tls("certificate.pem", "key.pem")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = server::first_line(&mut process);
    let (_, port) = line.trim_end().rsplit_once(':').unwrap();
    assert!(line.starts_with("listening on https://"), "{line}");
    // A client that does not complete the handshake delays no other one.
    let mut waiting = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    waiting.write_all(&[22, 3, 1]).unwrap();
    let trusted = Certificate::from_pem(CERTIFICATE.as_bytes()).unwrap();
    let roots = RootCerts::new_with_certs(&[trusted]);
    let config = Agent::config_builder()
        .proxy(None)
        .tls_config(TlsConfig::builder().root_certs(roots).build());
    let agent: Agent = config.build().into();
    let target = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1";
    let answer = agent
        .get(format!("https://localhost:{port}{target}"))
        .header("HTTP-X-USERNAME", "demo")
        .header("HTTP-X-PASSWORD", "demo")
        .call();
    let plain = agent.get(format!("http://localhost:{port}/health")).call();
    let distrusting = Agent::config_builder().proxy(None).build();
    let distrusting: Agent = distrusting.into();
    let untrusted = distrusting
        .get(format!("https://localhost:{port}/health"))
        .call();
    process.kill().unwrap();
    process.wait().unwrap();
    let answer = answer.unwrap().into_body().read_to_string().unwrap();
    assert!(answer.contains("Illness"), "{answer}");
    assert!(plain.is_err() && untrusted.is_err());
}

#[test]
fn a_file_that_is_no_certificate_is_named() {
    for (certificate, key, named) in [
        ("none.pem", "key.pem", "none.pem: "),
        ("certificate.pem", "none.pem", "none.pem: "),
        ("certificate.pem", "certificate.pem", "certificate.pem: "),
    ] {
        let output = tls(certificate, key).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{certificate} {key}");
        assert!(output.stdout.is_empty());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(named), "{said}");
    }
}
