//! The metrics of the server, in the text format of Prometheus.

use super::Server;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::fmt::Error;
use std::sync::Arc;
use std::time::Duration;

/// The upper limits of the buckets of the durations, in seconds.
const BUCKETS: [f64; 9] = [
    0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.05, 0.25, 1.0, 10.0,
];

/// The labels of the counter of requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RequestLabels {
    /// The first segments of the path: `v1`, `v2`, `feed` or `other`.
    api: &'static str,
    status: u16,
}

impl EncodeLabelSet for RequestLabels {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> Result<(), Error> {
        [("api", self.api)].encode(encoder)?;
        [("status", u64::from(self.status))].encode(encoder)
    }
}

pub(super) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Histogram,
    store_bytes: Gauge,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let metrics = Metrics {
            registry: Registry::with_prefix("rollbook"),
            requests: Family::default(),
            durations: Histogram::new(BUCKETS),
            store_bytes: Gauge::default(),
        };
        metrics.registered()
    }
}

impl Metrics {
    fn registered(mut self) -> Metrics {
        let registry = &mut self.registry;
        registry.register("requests", "Answered requests", self.requests.clone());
        registry.register_with_unit(
            "request_duration",
            "The time from a request to the head of its answer",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register_with_unit(
            "store_size",
            "The size of the store",
            Unit::Bytes,
            self.store_bytes.clone(),
        );
        self
    }

    /// Counts a request and its answer.
    pub(super) fn count(&self, path: &str, status: u16, time: Duration) {
        let api = match path {
            path if path.starts_with("/api/v1/") => "v1",
            path if path.starts_with("/api/v2/") => "v2",
            "/feed" => "feed",
            _ => "other",
        };
        self.requests
            .get_or_create(&RequestLabels { api, status })
            .inc();
        // Requests for changes wait, which is no measure of the server.
        if api != "feed" {
            self.durations.observe(time.as_secs_f64());
        }
    }
}

/// Answers a request for `/metrics`.
pub(super) async fn answer(State(server): State<Arc<Server>>) -> Response {
    let engine = server.engine.clone();
    if let Ok(Ok(stats)) = tokio::task::spawn_blocking(move || engine.stats()).await {
        let bytes = i64::try_from(stats.bytes).unwrap_or(i64::MAX);
        server.metrics.store_bytes.set(bytes);
    }
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = encode(&mut text, &server.metrics.registry);
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, content_type)], text).into_response()
}
