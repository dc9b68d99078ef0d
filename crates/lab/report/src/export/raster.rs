//! SVG as PNG and PDF, drawn with the fonts of this machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Family, Query};
use resvg::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions};

/// Pixels of a PNG for each unit of the SVG: the width of a figure is 1260 pixels.
const PIXELS: f32 = 3.0;

/// Fonts to try if the system's sans-serif font is not installed.
const FONTS: [&str; 6] = ["DejaVu Sans", "Noto Sans", "Liberation Sans", "Arial", "Helvetica", "Ubuntu"];

/// Renderer of SVG with the fonts of this machine.
pub(crate) struct Painter(Options<'static>);

impl Painter {
    /// Returns a renderer; `None` if the machine has no font.
    pub(crate) fn new() -> Option<Self> {
        let mut options = Options::default();
        let fonts = options.fontdb_mut();
        fonts.load_system_fonts();
        let there =
            |family: Family<'_>| fonts.query(&Query { families: &[family], ..Query::default() }).is_some();
        if !there(Family::SansSerif) {
            let known = FONTS.into_iter().find(|name| there(Family::Name(name))).map(str::to_string);
            let any = fonts.faces().find(|face| !face.monospaced).or(fonts.faces().next());
            let any = any.and_then(|face| Some(face.families.first()?.0.clone()));
            let family = known.or(any)?;
            fonts.set_sans_serif_family(family);
        }
        Some(Painter(options))
    }

    fn tree(&self, svg: &str) -> Result<Tree, String> {
        Tree::from_str(svg, &self.0).map_err(|e| e.to_string())
    }

    pub(crate) fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        self.pixels(svg)?.encode_png().map_err(|e| e.to_string())
    }

    fn pixels(&self, svg: &str) -> Result<Pixmap, String> {
        let tree = self.tree(svg)?;
        let size = tree.size().to_int_size().scale_by(PIXELS).ok_or("it has no size")?;
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
        resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
        Ok(pixels)
    }

    pub(crate) fn pdf(&self, svg: &str) -> Result<Vec<u8>, String> {
        svg2pdf::to_pdf(&self.tree(svg)?, ConversionOptions::default(), PageOptions::default())
            .map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::svg::{Place, file};
    use crate::figures::drawing::{Axis, Chart, Drawing, Spread};

    #[test]
    fn paper_is_light() {
        let axis = || Axis::factors("a", [0.0, 1.0].into_iter()).unwrap();
        let chart = Chart {
            title: "a".into(),
            of: String::new(),
            heading: String::new(),
            x: axis(),
            y: axis(),
            band: None,
            guide: None,
            lines: Vec::new(),
            spread: Spread::None,
        };
        let svg = file(&Drawing::Chart(chart), Place::Alone);
        assert!(svg.contains("prefers-color-scheme:dark"), "{svg}");
        let pixels = Painter(Options::default()).pixels(&svg).unwrap();
        let white = pixels.pixels().iter().filter(|of| (of.red(), of.green(), of.blue()) == (255, 255, 255));
        let (white, all) = (white.count(), pixels.pixels().len());
        assert!(10 * white > 9 * all, "{white} of {all} pixels are white");
    }
}
