//! `switchyard serve`: serves the page, and the files of one folder to this page only.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use test_support::{Folder, project, read};

const PAGE: &str = "<!doctype html><html><head><title>Page</title><script src=boot.js data-offline=\"sw.js\"></script></head></html>";

struct Server {
    child: Child,
    /// `127.0.0.1:PORT`
    host: String,
    token: String,
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Server {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut child = folder
            .command(&["-q", "serve", "--port", "0", "--site", "site"])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let rest = line
            .trim()
            .strip_prefix("http://")
            .unwrap_or_else(|| panic!("no address: {line}"));
        let (host, hash) = rest.split_once('/').unwrap();
        let token = hash.strip_prefix("#token=").unwrap_or_default().to_owned();
        Self {
            child,
            host: host.to_owned(),
            token,
        }
    }

    /// Sends a raw head with a body.
    fn raw(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        // A request that is refused early may not be read to its end.
        let _ = stream.write_all(&[head.as_bytes(), body].concat());
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes
            .windows(4)
            .position(|found| found == b"\r\n\r\n")
            .expect("an answer");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }

    fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!(
            "{method} {target} HTTP/1.1\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.host));
        }
        headers
            .iter()
            .for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        self.raw(&format!("{head}\r\n"), body)
    }

    /// Sends a request like the page does.
    fn ask_as_page(&self, method: &str, target: &str, body: &[u8]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let origin = format!("http://{}", self.host);
        let headers = [
            ("Authorization", &*bearer),
            ("Origin", &*origin),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        self.ask(method, target, &headers, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder() -> Folder {
    Folder::new(&[
        ("site/index.html", PAGE),
        ("site/page-0123456789ab.js", "page"),
        ("site/sw.js", "keeps"),
        ("site/sw-retired.js", "gives up"),
        ("catalog/p/catalog.yaml", "old p\n"),
        ("catalog/q/catalog.yaml", "old q\n"),
        ("secret", "s"),
    ])
}

/// A save of these files: path, old and new content.
fn save(files: &[(&str, Option<&str>, &str)]) -> Vec<u8> {
    let list = files
        .iter()
        .map(|(path, before, after)| json!({ "path": path, "before": before.map(str::len), "after": after.len() }));
    let mut body = format!("{}\n", json!({ "files": list.collect::<Vec<_>>() })).into_bytes();
    files.iter().for_each(|(_, before, after)| {
        body.extend(before.unwrap_or("").bytes().chain(after.bytes()))
    });
    body
}

#[test]
fn the_page_is_served_with_its_policy() {
    let folder = folder();
    let server = Server::start(&folder, &[]);
    let page = server.ask("GET", "/", &[], b"");
    assert_eq!((page.status, page.text().as_str()), (200, PAGE));
    for header in [
        "Content-Security-Policy: default-src 'none'",
        "X-Content-Type-Options: nosniff",
        "Cross-Origin-Opener-Policy: same-origin",
    ] {
        assert!(page.head.contains(header), "{}", page.head);
    }
    assert!(
        server
            .ask("GET", "/page-0123456789ab.js", &[], b"")
            .head
            .contains("text/javascript")
    );
    assert_eq!(server.ask("HEAD", "/", &[], b"").body, b"");
    for (method, target, status) in [
        ("GET", "/../secret", 404),
        ("GET", "/%2e%2e/secret", 404),
        ("GET", "/none", 404),
        ("POST", "/", 405),
        ("GET", "/api/files", 404),
        ("PUT", "/api/files", 404),
    ] {
        assert_eq!(
            server.ask(method, target, &[], b"").status,
            status,
            "{method} {target}"
        );
    }
    assert!(server.token.is_empty(), "no folder, no token");
    assert_eq!(server.ask("GET", "/sw.js", &[], b"").text(), "keeps");
    assert_eq!(server.raw("hello\r\n\r\n", b"").status, 400);
}

#[test]
fn every_host_sends_the_policy_of_the_page() {
    let page = read(&project().join("index.html"));
    let (_, rest) = page
        .split_once("http-equiv=\"Content-Security-Policy\" content=\"")
        .expect("the page has a policy");
    // Directives that only work in a header are sent, too.
    let policy = format!(
        "{}; frame-ancestors 'none'",
        rest.split('"').next().unwrap()
    );
    let folder = folder();
    let served = Server::start(&folder, &[]).ask("GET", "/", &[], b"").head;
    let headers: Vec<(&str, &str)> = served
        .lines()
        .filter_map(|line| line.split_once(": "))
        .collect();
    let ours = [
        "Content-Security-Policy",
        "Cross-Origin-Embedder-Policy",
        "Cross-Origin-Opener-Policy",
        "Cross-Origin-Resource-Policy",
        "Referrer-Policy",
        "X-Content-Type-Options",
    ];
    for name in ours {
        let (_, value) = headers
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("no {name}: {served}"));
        assert!(
            name != "Content-Security-Policy" || *value == policy,
            "{value}\n{policy}"
        );
        for host in ["_headers", "nginx.conf", "Caddyfile"] {
            let text = read(&project().join("release").join(host));
            let has = text
                .lines()
                .any(|line| line.contains(name) && line.contains(value));
            assert!(has, "release/{host} does not send {name}: {value}");
        }
    }
}

#[test]
fn a_folder_is_read_and_saved() {
    let folder = folder();
    let server = Server::start(&folder, &["catalog"]);
    assert_eq!(server.token.len(), 48);
    let page = server.ask("GET", "/", &[], b"").text();
    assert!(
        page.contains(
            "<script type=\"module\" src=\"./api/host.js\"></script><script src=boot.js></script>"
        ),
        "{page}"
    );
    // A cached page would not know the folder.
    assert_eq!(server.ask("GET", "/sw.js", &[], b"").text(), "gives up");
    assert_eq!(server.ask("GET", "/api/host.js", &[], b"").status, 200);
    let listed = server.ask_as_page("GET", "/api/files", b"").json();
    let paths: Vec<&str> = listed["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        (listed["name"].as_str(), paths),
        (Some("catalog"), vec!["p/catalog.yaml", "q/catalog.yaml"])
    );
    let answer = server.ask_as_page("GET", "/api/file?path=p%2Fcatalog.yaml", b"");
    assert_eq!((answer.status, answer.text().as_str()), (200, "old p\n"));
    assert!(
        answer.head.contains("Switchyard-Modified: 1"),
        "{}",
        answer.head
    );
    let both = [
        ("p/catalog.yaml", Some("old p\n"), "new p\n"),
        ("q/catalog.yaml", Some("old q\n"), "new q\n"),
        ("r/catalog.yaml", None, "new r\n"),
    ];
    let saved = server.ask_as_page("PUT", "/api/files", &save(&both));
    assert_eq!((saved.status, saved.json()), (200, json!({ "written": 3 })));
    assert_eq!(
        ["p", "q", "r"].map(|of| folder.read(&format!("catalog/{of}/catalog.yaml"))),
        ["new p\n", "new q\n", "new r\n"]
    );
    // Another program changes one file: nothing is written.
    folder.write("catalog/q/catalog.yaml", "theirs\n");
    let late = [
        ("p/catalog.yaml", Some("new p\n"), "newer p\n"),
        ("q/catalog.yaml", Some("new q\n"), "newer q\n"),
    ];
    let refused = server.ask_as_page("PUT", "/api/files", &save(&late));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert_eq!(
        ["p", "q"].map(|of| folder.read(&format!("catalog/{of}/catalog.yaml"))),
        ["new p\n", "theirs\n"]
    );
    let left: Vec<_> = std::fs::read_dir(folder.path().join("catalog"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn foreign_requests_are_refused() {
    let folder = folder();
    let server = Server::start(&folder, &["catalog"]);
    let bearer = format!("Bearer {}", server.token);
    let wrong = format!("Bearer {}", "0".repeat(48));
    let other_port = "http://127.0.0.1:1";
    let target = "/api/file?path=p/catalog.yaml";
    for (headers, status) in [
        (vec![("Authorization", &*bearer)], 200),
        (vec![], 401),
        (vec![("Authorization", &*wrong)], 401),
        (vec![("Authorization", ""), ("Cookie", &*bearer)], 401),
        (
            vec![
                ("Authorization", &*bearer),
                ("Origin", "http://evil.example"),
            ],
            403,
        ),
        (
            vec![("Authorization", &*bearer), ("Origin", other_port)],
            403,
        ),
        (
            vec![
                ("Authorization", &*bearer),
                ("Sec-Fetch-Site", "cross-site"),
            ],
            403,
        ),
        (
            vec![("Authorization", &*bearer), ("Host", "evil.example")],
            403,
        ),
    ] {
        assert_eq!(
            server.ask("GET", target, &headers, b"").status,
            status,
            "{headers:?}"
        );
        let body = save(&[("p/catalog.yaml", Some("old p\n"), "evil\n")]);
        if status != 200 {
            assert_eq!(
                server.ask("PUT", "/api/files", &headers, &body).status,
                status,
                "{headers:?}"
            );
        }
    }
    // With a rebound host name, not even the page is served.
    assert_eq!(
        server
            .ask("GET", "/", &[("Host", "evil.example")], b"")
            .status,
        403
    );
    // A preflight request from another site gets no permission.
    let headers = [
        ("Origin", "http://evil.example"),
        ("Access-Control-Request-Method", "PUT"),
    ];
    let preflight = server.ask("OPTIONS", "/api/files", &headers, b"");
    assert_eq!(preflight.status, 403);
    assert!(
        !preflight.head.contains("Access-Control"),
        "{}",
        preflight.head
    );
    assert_eq!(server.ask_as_page("DELETE", "/api/files", b"").status, 405);
    assert_eq!(server.ask_as_page("GET", "/api/none", b"").status, 404);
    assert_eq!(folder.read("catalog/p/catalog.yaml"), "old p\n");
}

#[test]
fn nothing_outside_of_the_folder_is_read_or_written() {
    let folder = folder();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", folder.path().join("catalog/link")).unwrap();
    let server = Server::start(&folder, &["catalog"]);
    for path in [
        "..%2Fsecret",
        "p/..%2F..%2Fsecret",
        "%2Fetc%2Fpasswd",
        "link",
        "",
        "p",
        "..%5Csecret",
        "p/%00",
    ] {
        let status = server
            .ask_as_page("GET", &format!("/api/file?path={path}"), b"")
            .status;
        assert!([400, 403, 404].contains(&status), "{path}: {status}");
    }
    for path in [
        "../secret",
        "../new",
        "link",
        "/tmp/x",
        "p/../../new",
        ".git/hooks/x",
    ] {
        let answer = server.ask_as_page(
            "PUT",
            "/api/files",
            &save(&[
                ("p/catalog.yaml", Some("old p\n"), "x"),
                (path, None, "evil"),
            ]),
        );
        assert_eq!(answer.status, 403, "{path}: {}", answer.text());
    }
    assert_eq!(
        server
            .ask_as_page("PUT", "/api/files", b"{\"files\":[]")
            .status,
        400
    );
    let bearer = format!("Bearer {}", server.token);
    let head = format!(
        "PUT /api/files HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.host
    );
    assert_eq!(server.raw(&head, b"0\r\n\r\n").status, 411);
    let head = head.replace("Transfer-Encoding: chunked", "Content-Length: 99999999999");
    assert_eq!(server.raw(&head, b"").status, 413);
    assert_eq!(folder.read("secret"), "s");
    assert_eq!(
        folder.read("catalog/p/catalog.yaml"),
        "old p\n",
        "none of a save, where one of it is refused"
    );
}

#[test]
fn reports_what_cannot_be_served() {
    let folder = folder();
    let refused = |args: &[&str], message: &str| {
        let run = folder.run(args);
        run.status(2);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    };
    refused(
        &["serve", "catalog", "--site", "site", "--listen", "0.0.0.0"],
        "to this machine only",
    );
    refused(&["serve", "none", "--site", "site"], "no such file");
    refused(&["serve", "secret", "--site", "site"], "not a folder");
    refused(&["serve", "--site", "catalog"], "index.html");
}

/// A served folder may have been cloned: its content must not give access to other files.
#[test]
fn possible_leftovers_are_reported_and_left_alone() {
    let folder = Folder::new(&[
        ("site/index.html", PAGE),
        ("cat/c.yaml", "old"),
        (
            "cat/deep/.switchyard-1-0/owner",
            "{\"process\":1,\"folders\":[\"/\"],\"first\":\"\"}",
        ),
        (
            "cat/deep/.switchyard-1-0/record",
            "{\"staged_in\":[],\"entries\":[]}",
        ),
    ]);
    let server = Server::start(&folder, &["cat"]);
    let save = b"{\"files\":[{\"path\":\"c.yaml\",\"before\":3,\"after\":3}]}\noldnew";
    let answer = server.ask_as_page("PUT", "/api/files", save);
    assert_eq!(
        (answer.status, folder.read("cat/c.yaml")),
        (200, "new".to_owned())
    );
    drop(server);
    for file in ["owner", "record"] {
        folder.read(&format!("cat/deep/.switchyard-1-0/{file}"));
    }
    let mut child = folder.start(&["serve", "--port", "0", "--site", "site", "cat"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("cat/deep/.switchyard-1-0 was left by a run that was killed"),
        "{stderr}"
    );
}
