//! Flame graphs (B. Gregg, 'The Flame Graph', CACM 59, 2016): the stacks of this process's samples as boxes, each as
//! wide as its share of the processor time and below the function that called it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pprof::{ProfilerGuard, ProfilerGuardBuilder};

const FREQUENCY: i32 = 997;
/// Width of the graph and height of a box, in pixels; minimum share of the time of a box.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 17.0;
const MIN: f64 = 0.001;

/// A profiler of this process that writes its graph at the end.
pub(super) struct Flame {
    profiler: ProfilerGuard<'static>,
    file: PathBuf,
}

/// A function as it was called by the one above it.
#[derive(Default)]
struct Called {
    samples: f64,
    calls: BTreeMap<String, Called>,
}

impl Flame {
    pub(super) fn begin(file: &Path) -> Result<Self, pprof::Error> {
        // A stack cannot be unwound safely while these libraries have locks.
        let builder = ProfilerGuardBuilder::default().frequency(FREQUENCY);
        let profiler = builder.blocklist(&["libc", "libgcc", "pthread", "vdso"]).build()?;
        Ok(Flame { profiler, file: file.to_owned() })
    }

    pub(super) fn end(self) -> Result<(), String> {
        let report = self.profiler.report().build().map_err(|error| error.to_string())?;
        let mut root = Called::default();
        for (stack, count) in &report.data {
            root.samples += *count as f64;
            let mut here = &mut root;
            // The innermost function is the first, below those of the profiler itself.
            let names = stack.frames.iter().flatten().map(|symbol| symbol.name());
            let own = |name: &String| name.contains("pprof::") || name.starts_with("backtrace::");
            let names: Vec<String> = names.skip_while(own).collect();
            for name in names.into_iter().rev() {
                here = here.calls.entry(name).or_default();
                here.samples += *count as f64;
            }
        }
        let file = self.file.display();
        std::fs::write(&self.file, root.svg()).map_err(|error| format!("{file}: {error}"))
    }
}

impl Called {
    fn svg(&self) -> String {
        let mut boxes = String::new();
        let height = self.draw(0.0, 0.0, WIDTH / self.samples.max(1.0), &mut boxes);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-size=\"11\" \
             font-family=\"sans-serif\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{boxes}</svg>\n"
        )
    }

    /// Draws what was called, from `x` to the right and from `y` down, with `scale` pixels for a sample; returns the
    /// end of the lowest box.
    fn draw(&self, mut x: f64, y: f64, scale: f64, boxes: &mut String) -> f64 {
        let mut end = y;
        for (name, called) in &self.calls {
            let width = called.samples * scale;
            if width >= MIN * WIDTH {
                let escaped =
                    |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                let last = name.rsplit("::").next().unwrap_or(name).chars();
                let short = escaped(&last.take((width / 7.0) as usize).collect::<String>());
                *boxes += &format!(
                    "<g><title>{}: {:.1} %</title><rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" \
                     height=\"{ROW}\" fill=\"#f2c879\" stroke=\"#fff\"/><text x=\"{:.1}\" y=\"{}\">{short}</text></g>\n",
                    escaped(name),
                    100.0 * width / WIDTH,
                    x + 2.0,
                    y + 12.0
                );
                end = called.draw(x, y + ROW, scale, boxes).max(end);
            }
            x += width;
        }
        end
    }
}
