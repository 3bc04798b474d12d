//! Restricts access to the folder's files to pages of this server that were opened with its token. Pure.

use super::http::Request;

/// The requirements for a request.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// Names of the server, with the port.
    hosts: Vec<String>,
    token: String,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RejectedRequest {
    /// The request is for another host name, such as one rebound to this machine, or from another site.
    Elsewhere,
    NoToken,
}

impl Guard {
    pub(super) fn new(port: u16, token: &str) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"]
            .map(|name| format!("{name}:{port}"))
            .to_vec();
        Self {
            hosts,
            token: token.to_owned(),
        }
    }

    /// Whether a request is for this server, and from one of its pages or the address bar.
    pub(super) fn is_ours(&self, request: &Request) -> Result<(), RejectedRequest> {
        let is_host = |host: &str| {
            self.hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host))
        };
        if !request.header("host").is_some_and(is_host) {
            return Err(RejectedRequest::Elsewhere);
        }
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(is_host);
        if !request.header("origin").is_none_or(is_own) {
            return Err(RejectedRequest::Elsewhere);
        }
        Ok(())
    }

    /// Whether it may access the files of the folder.
    pub(super) fn may_have_files(&self, request: &Request) -> Result<(), RejectedRequest> {
        self.is_ours(request)?;
        if request
            .header("sec-fetch-site")
            .is_some_and(|site| site != "same-origin")
        {
            return Err(RejectedRequest::Elsewhere);
        }
        let given = request
            .header("authorization")
            .and_then(|value| value.strip_prefix("Bearer "));
        match given.is_some_and(|given| is_same(given.as_bytes(), self.token.as_bytes())) {
            true => Ok(()),
            false => Err(RejectedRequest::NoToken),
        }
    }
}

/// Compares in constant time, so that the duration does not reveal a prefix.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::http;

    fn judged(headers: &str) -> Result<(), RejectedRequest> {
        let text = format!("GET /api/files HTTP/1.1\r\n{headers}\r\n");
        let request = http::read(&mut text.as_bytes()).unwrap().unwrap().unwrap();
        Guard::new(8170, "secret").may_have_files(&request)
    }

    #[test]
    fn only_the_own_page_with_the_token_may() {
        let token = "Authorization: Bearer secret\r\n";
        for own in [
            "Host: 127.0.0.1:8170\r\n",
            "Host: LOCALHOST:8170\r\nOrigin: http://localhost:8170\r\nSec-Fetch-Site: same-origin\r\n",
        ] {
            assert_eq!(judged(&format!("{own}{token}")), Ok(()));
            for wrong in [
                "",
                "Authorization: Bearer secre\r\n",
                "Authorization: Bearer \r\n",
                "Authorization: secret\r\n",
            ] {
                assert_eq!(
                    judged(&format!("{own}{wrong}")),
                    Err(RejectedRequest::NoToken)
                );
            }
        }
        for elsewhere in [
            "",
            "Host: evil.example:8170\r\n",
            "Host: 127.0.0.1:80\r\n",
            "Host: 127.0.0.1\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: http://evil.example\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: null\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: http://127.0.0.1:8171\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: https://127.0.0.1:8170\r\n",
            "Host: 127.0.0.1:8170\r\nSec-Fetch-Site: cross-site\r\n",
            "Host: 127.0.0.1:8170\r\nSec-Fetch-Site: same-site\r\n",
        ] {
            assert_eq!(
                judged(&format!("{elsewhere}{token}")),
                Err(RejectedRequest::Elsewhere),
                "{elsewhere}"
            );
        }
    }
}
