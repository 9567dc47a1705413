//! A proxy that counts requests, and holds one of them up for ever.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

pub(super) struct HeldUp {
    pub(super) address: String,
    requests: Arc<AtomicU64>,
    held: Receiver<()>,
}

impl HeldUp {
    /// Before a server, at the request of this number; the first is 1.
    pub(super) fn before(server: &str, hold: u64) -> HeldUp {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(AtomicU64::new(0));
        let (tell, held) = channel();
        let (server, counter) = (server.to_owned(), requests.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
                let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Both);
                });
                let (counter, tell) = (counter.clone(), tell.clone());
                std::thread::spawn(move || forward(client, server, &counter, hold, &tell));
            }
        });
        HeldUp {
            address,
            requests,
            held,
        }
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    pub(super) fn wait_until_held(&self) {
        self.held.recv().unwrap();
    }
}

/// A client writes the head of a request at once, and these have no body.
fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    requests: &AtomicU64,
    hold: u64,
    tell: &Sender<()>,
) {
    let mut buffer = [0; 16_384];
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..read]);
        let begun = text.matches(" HTTP/1.1\r\n").count() as u64;
        let before = requests.fetch_add(begun, Ordering::SeqCst);
        if before < hold && hold <= before + begun {
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
