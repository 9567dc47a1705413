//! The report that the guide to sync shows is printed by `rollbook sync`.

use super::folder::{Folder, NOW, outcome};
use rollbook::{Engine, Options, Request};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

const GUIDE: &str = include_str!("../../../core/docs/sync.md");

/// Returns the lines of the report in the guide.
fn lines_of_guide() -> Vec<&'static str> {
    let (_, section) = GUIDE.split_once("## What the report says").unwrap();
    let (_, block) = section.split_once("```text\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block.lines().collect()
}

/// Replaces the first value of a member in the objects of a list.
fn damage(body: &[u8], member: &str, count: usize, value: &dyn Fn(&str) -> Value) -> Vec<u8> {
    let mut list: Value = serde_json::from_slice(body).unwrap();
    for object in list.as_array_mut().unwrap().iter_mut().take(count) {
        let before = object[member].as_str().unwrap().to_owned();
        object[member] = value(&before);
    }
    list.to_string().into_bytes()
}

/// Answers one request as the source does, except for values that cannot be used, and for Get
/// Schools, which is not permitted.
fn answer(source: &Engine, mut client: TcpStream) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let target = head.split(' ').nth(1).unwrap();
    let headers = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "));
    let headers: Vec<(&str, &str)> = headers.collect();
    let answer = source.request(&Request {
        target,
        headers: &headers,
        now: Some(NOW),
        ..Request::default()
    });
    let (mut status, mut body) = (answer.status.code, answer.body);
    match target {
        _ if target.contains("/debtmanagement/schools/") => {
            (status, body) = (403, b"{}".to_vec());
        }
        _ if target.contains("status=current") => {
            body = damage(&body, "date_of_birth", 2, &|_| "0000-00-00".into());
        }
        _ if status == 200 && target.ends_with("learnersubjectsperterm/1000?learner_id=1") => {
            body = damage(&body, "subject_name", 1, &|name| vec![name].into());
        }
        _ if status == 200 && target.contains("/learnerabsentees/") => {
            body = damage(&body, "absent_date", 1, &|date| {
                format!("{date} 08:00:00").into()
            });
        }
        _ => {}
    }
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    client
        .write_all(&[head.as_bytes(), &body].concat())
        .unwrap();
}

#[test]
fn the_report_in_the_guide_is_printed() {
    let folder = Folder::new();
    let source = Engine::memory(Options::default()).unwrap();
    source
        .apply(std::fs::File::open(folder.path("school.ndjson")).unwrap())
        .unwrap();
    let source = Arc::new(source);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (source, client) = (source.clone(), client.unwrap());
            std::thread::spawn(move || answer(&source, client));
        }
    });
    let (code, said) = outcome(folder.sync(&address, "mirror.redb").output().unwrap());
    assert_eq!(code, Some(0), "{said}");
    println!("{said}");
    for line in lines_of_guide() {
        assert!(
            said.lines().any(|printed| printed == line),
            "{line}: {said}"
        );
    }
}
