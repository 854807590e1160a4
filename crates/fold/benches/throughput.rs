//! Points per second and core, intermediate polyhedra and pieces, for regular and irregular streams in each mode.
//!
//! `cargo bench -p fold` prints one line per stream and mode; `cargo bench -p fold -- NAME` only streams whose name
//! contains NAME; `-- --points 1e7` sets the length. Points are made a few thousand at a time outside the timed part, so
//! only folding is measured. The last table shows the same stream over three decades of length: time per point and
//! intermediate polyhedra must not grow with the length.

use std::time::Duration;

use fold::{Folder, Mode, Options};
use nix::time::{ClockId, clock_gettime};

/// Time this thread has had on a core, so that other work on the machine does not count, to the nanosecond: the system's own accounts
/// are only brought up to date every few milliseconds.
fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).expect("Linux has this clock")
}

/// Points made at a time: few enough to stay in the caches, so that long and short streams differ in nothing but their length.
const BLOCK: usize = 1 << 13;

/// A source of points: appends the numbers of the next point; false at the end of the stream.
type Source = Box<dyn FnMut(&mut Vec<i64>) -> bool>;

struct Stream {
    name: &'static str,
    dim: usize,
    labels: usize,
    /// Makes a source of about that many points.
    source: fn(u64) -> Source,
    /// Without limits such a stream keeps a piece per point or two; `exact` is shown on a tenth of it.
    irregular: bool,
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A nest of `N` loops: `bound(d, x)` is one past the last value of loop `d`; `emit` makes the point or skips it.
fn nest<const N: usize>(
    bound: impl Fn(usize, &[i64; N]) -> i64 + 'static,
    mut emit: impl FnMut(&[i64; N], &mut Vec<i64>) + 'static,
) -> Source {
    let mut x = [0i64; N];
    let mut done = false;
    Box::new(move |out| {
        if done {
            return false;
        }
        emit(&x, out);
        let mut d = N;
        loop {
            if d == 0 {
                done = true;
                return true;
            }
            d -= 1;
            x[d] += 1;
            if x[d] < bound(d, &x) {
                return true;
            }
            x[d] = 0;
        }
    })
}

fn side(points: u64, dims: u32) -> i64 {
    (points as f64).powf(1.0 / f64::from(dims)).round() as i64
}

fn streams() -> Vec<Stream> {
    let regular = |name, dim, labels, source| Stream { name, dim, labels, source, irregular: false };
    let irregular = |name, dim, labels, source| Stream { name, dim, labels, source, irregular: true };
    vec![
        regular("1-D", 1, 1, |n| nest::<1>(move |_, _| n as i64, |x, o| o.extend([x[0], 8 * x[0]]))),
        regular("2-D", 2, 1, |n| {
            let m = side(n, 2);
            nest::<2>(move |_, _| m, move |x, o| o.extend([x[0], x[1], 8 * (m * x[0] + x[1])]))
        }),
        regular("3-D", 3, 1, |n| {
            let m = side(n, 3);
            nest::<3>(
                move |_, _| m,
                move |x, o| o.extend([x[0], x[1], x[2], 8 * (m * (m * x[0] + x[1]) + x[2])]),
            )
        }),
        regular("3-D dependence", 3, 3, |n| {
            let m = side(n, 3);
            nest::<3>(move |_, _| m, |x, o| o.extend([x[0], x[1], x[2], x[0], x[1] - 1, x[2]]))
        }),
        regular("triangular", 2, 1, |n| {
            let m = side(2 * n, 2);
            nest::<2>(
                move |d, x| if d == 0 { m } else { x[0] + 1 },
                |x, o| o.extend([x[0], x[1], 99 * x[0] + x[1]]),
            )
        }),
        regular("strided", 2, 1, |n| {
            let m = side(n, 2);
            nest::<2>(move |_, _| m, |x, o| o.extend([2 * x[0], 3 * x[1], 7 * x[0] + 5 * x[1]]))
        }),
        regular("rows of 8", 2, 1, |n| {
            let m = n as i64 / 8;
            nest::<2>(move |d, _| if d == 0 { m } else { 8 }, |x, o| o.extend([x[0], x[1], 64 * x[0] + x[1]]))
        }),
        regular("rows of 3", 2, 1, |n| {
            let m = n as i64 / 3;
            nest::<2>(move |d, _| if d == 0 { m } else { 3 }, |x, o| o.extend([x[0], x[1], 64 * x[0] + x[1]]))
        }),
        regular("linearized", 1, 2, |n| {
            nest::<1>(move |_, _| n as i64, |x, o| o.extend([x[0], x[0] / 100, x[0] % 100]))
        }),
        regular("guarded i%3!=2", 1, 1, |n| {
            nest::<1>(
                move |_, _| n as i64 * 3 / 2,
                |x, o| {
                    if x[0] % 3 != 2 {
                        o.extend([x[0], 8 * x[0]]);
                    }
                },
            )
        }),
        regular("i%7 in {0,1,3}", 1, 1, |n| {
            nest::<1>(
                move |_, _| n as i64 * 7 / 3,
                |x, o| {
                    if [0, 1, 3].contains(&(x[0] % 7)) {
                        o.extend([x[0], 8 * x[0]]);
                    }
                },
            )
        }),
        regular("3 pieces a row", 2, 1, |n| {
            let m = side(n, 2);
            nest::<2>(
                move |_, _| m,
                move |x, o| {
                    let first_or_last = i64::from(x[1] == 0) * 1000 - i64::from(x[1] == m - 1) * 999;
                    o.extend([x[0], x[1], 8 * (m * x[0] + x[1]) + first_or_last]);
                },
            )
        }),
        regular("60 odd columns", 2, 1, |n| {
            let columns: Vec<i64> = (0..60).map(|c| 7 * c + (random(&mut (c as u64)) % 5) as i64).collect();
            let m = n as i64 / 60;
            nest::<2>(
                move |d, _| if d == 0 { m } else { 60 },
                move |x, o| o.extend([x[0], columns[x[1] as usize], x[0] + columns[x[1] as usize]]),
            )
        }),
        regular("backprop rows", 2, 1, |n| {
            let m = side(n, 2);
            nest::<2>(
                move |_, _| m,
                |x, o| o.extend([x[0], x[1], x[0] + (random(&mut (x[1] as u64)) >> 20) as i64]),
            )
        }),
        irregular("random label", 2, 1, |n| {
            let m = side(n, 2);
            let mut r = 1;
            nest::<2>(move |_, _| m, move |x, o| o.extend([x[0], x[1], (random(&mut r) >> 8) as i64]))
        }),
        irregular("random label, rows of 4", 2, 1, |n| {
            let m = n as i64 / 4;
            let mut r = 1;
            nest::<2>(
                move |d, _| if d == 0 { m } else { 4 },
                move |x, o| o.extend([x[0], x[1], (random(&mut r) >> 8) as i64]),
            )
        }),
        irregular("random gaps", 1, 1, |n| {
            let (mut r, mut x) = (4, 0);
            nest::<1>(
                move |_, _| n as i64,
                move |_, o| {
                    x += 1 + (random(&mut r) % 5) as i64;
                    o.extend([x, 8 * x]);
                },
            )
        }),
        irregular("random row ends", 2, 1, |n| {
            let m = side(n, 2);
            let mut r = 5;
            let ends: Vec<i64> = (0..m).map(|_| m / 2 + (random(&mut r) % m as u64) as i64).collect();
            nest::<2>(
                move |d, x| if d == 0 { m } else { ends[x[0] as usize] },
                |x, o| o.extend([x[0], x[1], 9 * x[0] + x[1]]),
            )
        }),
        irregular("random geometry", 2, 1, |n| {
            let m = side(2 * n, 2);
            let mut r = 2;
            nest::<2>(
                move |_, _| m,
                move |x, o| {
                    if random(&mut r) & 1 == 0 {
                        o.extend([x[0], x[1], 8 * x[0] + x[1]]);
                    }
                },
            )
        }),
        irregular("random both", 3, 1, |n| {
            let m = side(2 * n, 3);
            let mut r = 3;
            nest::<3>(
                move |_, _| m,
                move |x, o| {
                    if random(&mut r) & 1 == 0 {
                        o.extend([x[0], x[1], x[2], (random(&mut r) >> 8) as i64]);
                    }
                },
            )
        }),
    ]
}

struct Measured {
    points: u64,
    time: Duration,
    pieces: usize,
    max_intermediate: usize,
    exact: bool,
}

fn measure(stream: &Stream, points: u64, options: &Options) -> Measured {
    let mut folder = Folder::new(stream.dim, stream.labels, options.clone()).expect("small streams");
    let mut source = (stream.source)(points);
    let width = stream.dim + stream.labels;
    let mut block = Vec::with_capacity(BLOCK * width);
    let mut time = Duration::ZERO;
    let mut more = true;
    while more {
        block.clear();
        while more && block.len() < BLOCK * width {
            more = source(&mut block);
        }
        let start = now();
        folder.push_batch(&block).expect("streams are in order");
        time += now() - start;
    }
    let points = folder.points();
    let start = now();
    let result = folder.finish();
    time += now() - start;
    Measured {
        points,
        time,
        pieces: result.pieces.len(),
        max_intermediate: result.stats.max_intermediate,
        exact: result.is_exact(),
    }
}

fn rate(m: &Measured) -> f64 {
    m.points as f64 / m.time.as_secs_f64() / 1e6
}

fn main() {
    let mut filter = String::new();
    let mut points = 8_000_000u64;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--points" => {
                points = args.next().and_then(|v| v.parse::<f64>().ok()).map_or(points, |v| v as u64)
            }
            "--bench" => {}
            other => filter = other.to_string(),
        }
    }
    let (mut regular, mut irregular, mut growth) = (Vec::new(), Vec::new(), Vec::new());
    println!("| stream | mode | points | Mpoints/s | pieces | max intermediate | result |");
    println!("|---|---|---:|---:|---:|---:|---|");
    for stream in streams().iter().filter(|s| s.name.contains(&filter)) {
        for (name, mode) in Mode::ALL {
            let keeps_all = stream.irregular && matches!(mode, Mode::Exact | Mode::Widen);
            let n = if keeps_all { points / 10 } else { points };
            let m = measure(stream, n, &Options::with_mode(mode));
            let result = if m.exact { "exact" } else { "over-approximated" };
            match (stream.irregular, mode) {
                (false, Mode::Auto) => regular.push(rate(&m)),
                (true, Mode::WidenGiveUp) => irregular.push(rate(&m)),
                _ => {}
            }
            println!(
                "| {} | {name} | {} | {:.1} | {} | {} | {result} |",
                stream.name,
                m.points,
                rate(&m),
                m.pieces,
                m.max_intermediate
            );
        }
    }
    println!("\n| stream (auto) | points | ns/point | pieces | max intermediate |");
    println!("|---|---:|---:|---:|---:|");
    for stream in streams().iter().filter(|s| s.name.contains(&filter)) {
        let mut each = Vec::new();
        for n in [points / 1000, points / 100, points / 10, points] {
            // Short streams are repeated, so that each length takes as long.
            let runs = points / n;
            let mut total = Duration::ZERO;
            let mut m = measure(stream, n, &Options::default());
            for _ in 1..runs {
                total += m.time;
                m = measure(stream, n, &Options::default());
            }
            let ns = (total + m.time).as_secs_f64() * 1e9 / (runs * m.points.max(1)) as f64;
            println!("| {} | {} | {ns:.2} | {} | {} |", stream.name, m.points, m.pieces, m.max_intermediate);
            each.push(ns);
        }
        growth.extend(each.first().zip(each.last()).map(|(short, long)| long / short));
    }
    println!("\n| | least | median | greatest |\n|---|---:|---:|---:|");
    summarize("regular streams, auto, Mpoints/s", regular);
    summarize("irregular streams, widen-give-up, Mpoints/s", irregular);
    summarize("time per point, 1000 times as many points", growth);
}

fn summarize(what: &str, mut figures: Vec<f64>) {
    figures.sort_by(f64::total_cmp);
    if let (Some(least), Some(greatest)) = (figures.first(), figures.last()) {
        println!("| {what} | {least:.2} | {:.2} | {greatest:.2} |", figures[figures.len() / 2]);
    }
}
