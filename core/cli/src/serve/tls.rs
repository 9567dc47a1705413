//! TLS for the connections of the server.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Returns an acceptor for the certificate chain and the private key in these PEM files.
pub(super) fn acceptor(files: &[PathBuf]) -> Result<TlsAcceptor, Box<dyn Error>> {
    let [certificate, key] = files else {
        return Err("--tls needs the files of a certificate and of its key".into());
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(certificate, &error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unreadable(file: &Path, error: &dyn Error) -> String {
    format!("{}: {error}. Give PEM files", file.display())
}
