//! A proxy that records requests, and blocks at one of them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) struct BlockingProxy {
    pub(super) address: String,
    targets: Arc<Mutex<Vec<String>>>,
    blocked: Receiver<()>,
}

impl BlockingProxy {
    /// Makes a proxy for a server, which blocks at the request with this number. The first request
    /// has number 1.
    pub(super) fn before(server: &str, block_at: u64) -> BlockingProxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let targets = Arc::new(Mutex::new(Vec::new()));
        let (report, blocked) = channel();
        let (server, notes) = (server.to_owned(), targets.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
                let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Both);
                });
                let (notes, report) = (notes.clone(), report.clone());
                std::thread::spawn(move || forward(client, server, &notes, block_at, &report));
            }
        });
        BlockingProxy {
            address,
            targets,
            blocked,
        }
    }

    /// Returns the requested targets in order.
    pub(super) fn targets(&self) -> Vec<String> {
        self.targets.lock().unwrap().clone()
    }

    pub(super) fn requests(&self) -> u64 {
        self.targets().len() as u64
    }

    pub(super) fn wait_until_blocked(&self) {
        self.blocked.recv_timeout(Duration::from_secs(60)).unwrap();
    }
}

/// Forwards requests without bodies, whose heads a client writes at once.
fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    targets: &Mutex<Vec<String>>,
    block_at: u64,
    report: &Sender<()>,
) {
    let mut buffer = [0; 16_384];
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..read]);
        let begun = text
            .lines()
            .filter_map(|line| line.strip_suffix(" HTTP/1.1"));
        let begun = begun.filter_map(|line| Some(line.split_once(' ')?.1.to_owned()));
        let mut noted = targets.lock().unwrap();
        let before = noted.len() as u64;
        noted.extend(begun);
        let now = noted.len() as u64;
        drop(noted);
        if before < block_at && block_at <= now {
            let _ = report.send(());
            // Sends nothing until the client has closed the connection.
            let _ = client.read(&mut buffer);
            return;
        }
        if server.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = server.shutdown(std::net::Shutdown::Write);
}
