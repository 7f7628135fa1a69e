// Collections, closures, formatting, a panic that is caught, threads. worker SECONDS
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

#[inline(never)]
fn words(round: usize) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for i in 0..500 {
        *all.entry(format!("{:x}", (i * round) % 97)).or_insert(0) += i;
    }
    all
}

#[inline(never)]
fn checked(all: &BTreeMap<String, usize>, round: usize) -> usize {
    std::panic::catch_unwind(|| {
        if round % 50 == 0 {
            panic!("every fiftieth");
        }
        let mut v: Vec<_> = all.iter().map(|(k, v)| (v, k)).collect();
        v.sort_by(|a, b| b.cmp(a));
        v.len()
    })
    .unwrap_or(0)
}

fn run(end: Instant) -> usize {
    let (mut round, mut sum) = (0, 0);
    while Instant::now() < end {
        round += 1;
        sum += checked(&words(round), round);
    }
    sum
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(10.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    std::panic::set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(move || run(end))).collect();
    std::process::exit((threads.into_iter().map(|t| t.join().unwrap()).sum::<usize>() == 0) as i32);
}
