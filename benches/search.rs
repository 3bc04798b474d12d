//! How long a search takes, for each prefix of some typed texts.
//! Numbers are printed, never asserted: `cargo bench --bench search`.

mod support;

use session::search::Index;
use std::time::Instant;
use support::{ms, quantiles};
use test_support::{MemorySource, corpus, read_tree};

const TYPED: [&str; 9] = [
    "strimzi-kafka-operator",
    "kafka stable",
    "KafkaTopic",
    "v1.2.3",
    "prometheus",
    "quay.io/operatorhubio",
    "sha256:00",
    "entry-without-bundle",
    "a e i o",
];

fn main() {
    let Some(corpus) = corpus() else { return };
    let (new, memory) = MemorySource::with_files(read_tree(&corpus.join("operatorhub")));
    let session = session::open_one("", new, memory);
    let start = Instant::now();
    let mut index = Index::default();
    index.refresh(&session);
    println!(
        "operatorhub: names gathered in {:.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let mut times = Vec::new();
    for _ in 0..20 {
        for typed in TYPED.iter().flat_map(|text| {
            text.char_indices()
                .map(|(at, c)| &text[..at + c.len_utf8()])
        }) {
            let start = Instant::now();
            index.refresh(&session);
            let answer = index.find(&session, typed, "", 50);
            times.push(start.elapsed());
            assert!(answer.hits.len() <= 50);
        }
    }
    let [median, most, worst] = quantiles(&mut times, [0.5, 0.99, 1.0]);
    println!(
        "operatorhub: a search {} ms, 99 % {:.2} ms",
        ms((median, worst)),
        most.as_secs_f64() * 1e3
    );
}
