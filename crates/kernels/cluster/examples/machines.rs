//! Predicted time of a run of jobs on any number of machines: a model of the scheduler. It does not call MPI.
//!
//! Times are in seconds, sizes in bytes. `docs/guides/cluster.md` has the conclusions, and how each cost was
//! measured. Costs and machines are given as NAME=VALUE:
//!
//! ```sh
//! cargo run --example machines -- compute=0.0295 latency=0.02 bandwidth=125000000
//! ```

/// Names of the costs, with those of the cells and proofs of a blob on a Zen 3 with AVX2, as docs/guides/cluster.md has
/// them, and of machines with 16 cores, 50 µs and 10 Gbit/s apart.
const DEFAULTS: [(&str, f64); 10] = [
    // Time of a job on one thread, while the other cores of the machine work too.
    ("compute", 0.152),
    // Share of that time that further threads cannot shorten.
    ("serial", 0.01),
    // Time of rank 0 for a job besides computing: reading, sending, receiving, writing.
    ("serve", 953e-6),
    // Bytes of a job's message, and of its result's.
    ("sent", 131_072.0),
    ("returned", 268_288.0),
    // Time from the start of the run until the first job can be computed on one rank.
    ("ready", 0.67),
    // Time that each further node adds to that: the launcher's part of its start, because the nodes start at the same
    // time.
    ("launch", 541e-6),
    // Cores of each machine.
    ("cores", 16.0),
    // Time of a short message between two machines, one way, and bytes per second of rank 0's link, each way.
    ("latency", 50e-6),
    ("bandwidth", 1.25e9),
];

/// Jobs that each rank gets before its first result.
const AHEAD: f64 = 3.0;

/// Predicts the time of a run of `jobs` jobs on `nodes` machines, and its bottleneck.
///
/// The cores compute, rank 0 serves and its link transfers at the same time, so the slowest of the three counts; before
/// that come the start and the transfer of the first job, and after it the transfer of the last result. Rank 0 serves
/// on a core that also computes. Where there are fewer jobs than cores, the cores of a machine share a job. The
/// look-ahead of the scheduler hides the latency of all jobs but the first and the last.
fn predict(costs: &[(&str, f64); 10], nodes: usize, jobs: usize) -> (f64, &'static str) {
    let [compute, serial, serve, sent, returned, ready, launch, cores, latency, bandwidth] =
        costs.map(|(_, cost)| cost);
    let (cores, n) = ((cores as usize).max(1), jobs as f64);
    let all = nodes * cores;
    let threads = (all / jobs.clamp(1, all)).clamp(1, cores);
    let workers = (nodes * (cores / threads)) as f64;
    let job = compute * (serial + (1.0 - serial) / threads as f64);
    let computing = ((n / workers).ceil() * job).max(n * (compute + serve) / all as f64);
    // The cores of rank 0's own machine take the jobs that the link does not carry in time, except for those that were
    // sent already.
    let at_home = (cores / threads) as f64 / job;
    let carried = bandwidth / sent.max(returned);
    let handed_out = n.min(AHEAD * workers) * (nodes - 1) as f64 / nodes as f64;
    let link = if nodes > 1 { (n - handed_out) / (at_home + carried) + handed_out / carried } else { 0.0 };
    let way = if nodes > 1 { 2.0 * latency + (sent + returned) / bandwidth } else { 0.0 };
    let start = ready + (nodes - 1) as f64 * launch;
    let bounds = [(computing, "computing"), (n * serve, "rank 0"), (link, "link")];
    let slowest = bounds.into_iter().fold(bounds[0], |a, b| if b.0 > a.0 { b } else { a });
    let work = slowest.0 + serve + way;
    (start + work, if start > work { "start" } else { slowest.1 })
}

fn main() -> Result<(), String> {
    let mut costs = DEFAULTS;
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').ok_or(format!("{argument}: write it as NAME=VALUE"))?;
        let value: f64 = value.parse().map_err(|error| format!("{argument}: {error}"))?;
        if !value.is_finite() || value < 0.0 {
            return Err(format!("{argument}: a number of at least 0 is needed"));
        }
        let cost = costs.iter_mut().find(|cost| cost.0 == name);
        let names = DEFAULTS.map(|(name, _)| name).join(", ");
        cost.ok_or(format!("{argument}: unknown name: it can be {names}"))?.1 = value;
    }
    println!("{:>9}{:>24}{:>24}{:>24}{:>24}{:>9}", "blobs", 1, 10, 100, "1000 machines", "enough");
    for jobs in [72, 1000, 1_000_000] {
        let cell = |nodes| {
            let (seconds, bound) = predict(&costs, nodes, jobs);
            format!("{:>24}", format!("{seconds:.2} s ({bound})"))
        };
        let time = |nodes| predict(&costs, nodes, jobs).0;
        // The time has steps from the number of rounds of jobs, so the search doubles.
        let doubled = std::iter::successors(Some(1), |nodes| Some(2 * nodes));
        let enough = doubled.take(20).find(|nodes| time(2 * nodes) >= 0.9 * time(*nodes)).unwrap_or(1 << 20);
        println!("{jobs:>9}{}{enough:>9}", [1, 10, 100, 1000].map(cell).concat());
    }
    println!("\nenough: twice as many machines save less than a tenth of the time.");
    Ok(())
}
