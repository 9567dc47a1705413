//! A proxy that notes requests, and holds one of them up for ever.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) struct HeldUp {
    pub(super) address: String,
    targets: Arc<Mutex<Vec<String>>>,
    held: Receiver<()>,
}

impl HeldUp {
    /// Before a server, at the request of this number; the first is 1.
    pub(super) fn before(server: &str, hold: u64) -> HeldUp {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let targets = Arc::new(Mutex::new(Vec::new()));
        let (tell, held) = channel();
        let (server, notes) = (server.to_owned(), targets.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
                let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Both);
                });
                let (notes, tell) = (notes.clone(), tell.clone());
                std::thread::spawn(move || forward(client, server, &notes, hold, &tell));
            }
        });
        HeldUp {
            address,
            targets,
            held,
        }
    }

    /// What was asked, in this order.
    pub(super) fn targets(&self) -> Vec<String> {
        self.targets.lock().unwrap().clone()
    }

    pub(super) fn requests(&self) -> u64 {
        self.targets().len() as u64
    }

    pub(super) fn wait_until_held(&self) {
        self.held.recv_timeout(Duration::from_secs(60)).unwrap();
    }
}

/// A client writes the head of a request at once, and these have no body.
fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    targets: &Mutex<Vec<String>>,
    hold: u64,
    tell: &Sender<()>,
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
        if before < hold && hold <= now {
            let _ = tell.send(());
            // Nothing comes until the client has gone.
            let _ = client.read(&mut buffer);
            return;
        }
        if server.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = server.shutdown(std::net::Shutdown::Write);
}
