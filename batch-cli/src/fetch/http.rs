//! Fetches a target over HTTP. 2xx is done, 429 and 503 are retry-later.
//!
//! No error text holds a URL, since that may hold a password.

use std::error::Error as _;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use batch_core::caller::{BoxError, Caller};
use batch_core::clock::{Clock, SystemClock};
use batch_core::fetch::{Attempt, CancelSignal, Fetch, Json, RetryLater, TargetError};
use batch_core::target::RawTarget;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{body, is_lack};
use crate::args;
use crate::exit::{Exit, Failure};
use crate::joblog::Joblog;

/// How long a server may send nothing.
const SILENCE: Duration = Duration::from_mins(1);
/// The headers that are kept with a result.
const KEPT: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::ETAG,
    header::LAST_MODIFIED,
    header::CONTENT_LANGUAGE,
    header::DATE,
];

/// A client that fetches targets.
#[derive(Debug)]
pub(crate) struct Get {
    client: Client,
    max_body: u64,
    joblog: Option<Joblog>,
    kill: CancellationToken,
}

impl Get {
    /// Prepares a client with these options.
    pub(crate) fn new(
        options: &args::Http,
        joblog: Option<Joblog>,
        kill: CancellationToken,
    ) -> Result<Self, Failure> {
        // Another provider in this process would serve as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("batchq/", env!("CARGO_PKG_VERSION")))
            .redirect(redirects(options.max_redirects()))
            .connect_timeout(options.connect_timeout())
            .read_timeout(SILENCE)
            .default_headers(headers(&options.header)?)
            .build()
            .map_err(|error| {
                Failure::new(
                    Exit::Unavailable,
                    format!("cannot use HTTP: {}", chain(&error)),
                )
            })?;
        Ok(Self {
            client,
            max_body: options.max_body(),
            joblog,
            kill,
        })
    }

    async fn get(&self, url: &str) -> Result<(Json, usize), BoxError> {
        let url = parse(url)?;
        let response = self.client.get(url).send().await.map_err(unreachable)?;
        let status = response.status();
        if status.is_success() {
            return self.done(response).await;
        }
        if matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        ) {
            return Err(later(&response).into());
        }
        Err(refused(status).into())
    }

    async fn done(&self, mut response: Response) -> Result<(Json, usize), BoxError> {
        let meta = meta(&response);
        let mut content = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            content.extend_from_slice(&chunk);
            if content.len() as u64 > self.max_body {
                let text = format!("the body is larger than {} bytes", self.max_body);
                return Err(TargetError::new(text)
                    .with_hint("allow more with --max-body")
                    .into());
            }
        }
        let length = content.len();
        Ok((body::encode(content, meta)?, length))
    }
}

#[async_trait]
impl Fetch for Get {
    async fn fetch(
        &self,
        attempt: Attempt,
        _signal: CancelSignal,
        _caller: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError> {
        let words = || ["GET".into(), target.url.clone().into()];
        let line = self.joblog.as_ref();
        let line = line.map(|log| log.begin(attempt.origin, &words()));
        let ended = tokio::select! {
            ended = self.get(&target.url) => ended,
            () = self.kill.cancelled() => return Err(TargetError::new("stopped").into()),
        };
        if let Some(line) = line {
            let received = ended.as_ref().map_or(0, |(_, length)| *length);
            line.end(received, as_exit(&ended));
        }
        ended.map(|(json, _)| json)
    }
}

/// The exit status that a command would have had.
fn as_exit(ended: &Result<(Json, usize), BoxError>) -> ExitStatus {
    let code = match ended {
        Ok(_) => 0,
        Err(error) if error.is::<RetryLater>() => 75,
        Err(_) => 1,
    };
    ExitStatus::from_raw(code << 8)
}

fn redirects(max: u32) -> redirect::Policy {
    match usize::try_from(max) {
        Ok(0) | Err(_) => redirect::Policy::none(),
        Ok(max) => redirect::Policy::limited(max),
    }
}

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| Failure::usage("--header: give it as `Name: value`"))?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| Failure::usage(format!("--header {key}: the value cannot be sent")))?;
        value.set_sensitive(true);
        headers.append(key, value);
    }
    Ok(headers)
}

fn parse(text: &str) -> Result<Url, TargetError> {
    let url = Url::parse(text).map_err(|error| TargetError::new(format!("not a URL: {error}")))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(TargetError::new("not a URL of HTTP").with_hint("begin it with http or https")),
    }
}

/// What is known of a response besides its body.
fn meta(response: &Response) -> Map<String, Value> {
    let mut kept = Map::new();
    for name in KEPT {
        if let Some(value) = response.headers().get(&name) {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            kept.insert(name.as_str().to_owned(), text.into());
        }
    }
    let mut url = response.url().clone();
    // A URL that cannot have them has none.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    Map::from_iter([
        ("status".to_owned(), response.status().as_u16().into()),
        ("url".to_owned(), url.as_str().into()),
        ("headers".to_owned(), kept.into()),
    ])
}

fn refused(status: StatusCode) -> TargetError {
    let hint = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "it may need a --header to authorize",
        StatusCode::NOT_FOUND | StatusCode::GONE => "there is nothing at this URL",
        _ if status.is_redirection() => "allow more with --max-redirects",
        _ if status.is_server_error() => "the server failed; --retry-failed tries it again",
        _ => "",
    };
    TargetError::new(format!("HTTP status {status}"))
        .with_hint(hint)
        .with_status(status.as_u16())
}

fn later(response: &Response) -> RetryLater {
    let status = response.status();
    let cause = TargetError::new(format!("HTTP status {status}")).with_status(status.as_u16());
    let later = RetryLater::new().because(cause);
    let value = response
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    match value.and_then(wait) {
        Some(wait) => later.after(wait),
        None => later,
    }
}

/// How long `Retry-After` asks to wait: a number of seconds, or a date.
fn wait(value: &str) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value.trim()).ok()?;
    let date = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    let now = u64::try_from(SystemClock::new().now().as_millis()).ok()?;
    Some(date.saturating_sub(Duration::from_millis(now)))
}

fn unreachable(error: reqwest::Error) -> BoxError {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    let lack = causes
        .filter_map(|cause| cause.downcast_ref())
        .find(|cause| is_lack(cause));
    if let Some(lack) = lack {
        let why = format!("cannot connect: {lack}");
        return RetryLater::new().because(why).into();
    }
    let (what, hint) = if error.is_redirect() {
        ("too many redirects", "allow more with --max-redirects")
    } else if error.is_connect() && error.is_timeout() {
        (
            "connecting took too long",
            "allow more with --connect-timeout",
        )
    } else if error.is_connect() {
        ("cannot connect", "--retry-failed tries it again")
    } else if error.is_timeout() {
        ("the server fell silent", "--retry-failed tries it again")
    } else {
        ("the exchange failed", "--retry-failed tries it again")
    };
    TargetError::new(told(what, error)).with_hint(hint).into()
}

/// What went wrong, and why, unless that names the host (R8.5): a refused certificate does.
fn told(what: &str, error: reqwest::Error) -> String {
    let host = error.url().and_then(|url| url.host_str());
    let host = host.map(str::to_owned);
    let why = chain(&error.without_url());
    match host {
        Some(host) if why.contains(&host) => what.to_owned(),
        _ => format!("{what}: {why}"),
    }
}

/// The innermost cause, which says most.
fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(wait("0"), Some(Duration::ZERO));
        assert_eq!(wait(" 120 "), Some(Duration::from_mins(2)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("-1"), None);
    }

    #[test]
    fn only_http_is_fetched() {
        assert!(parse("http://user:secret@localhost/").is_ok());
        assert!(parse("file:///etc/passwd").is_err());
        assert!(
            !parse("http://user:secret@[")
                .unwrap_err()
                .msg
                .contains("secret")
        );
    }
}
