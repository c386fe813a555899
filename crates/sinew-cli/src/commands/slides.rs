//! Foot skate during plants, for each limb end.

use crate::commands::register::end_name;
use sinew::anatomy::{LimbEnd, Plant};
use sinew::skeleton::Side;
use sinew::{Animation, Skeleton};
use sinew_author::footskate::{Slide, measure_slides};

/// A limb end and its skate in each of several motions.
pub(crate) struct SlideRow {
    pub(crate) name: String,
    pub(crate) slides: Vec<SlideSum>,
}

/// Totals over all plants of a limb end, or of all ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlideSum {
    pub(crate) plants: usize,
    /// Planted time in seconds.
    pub(crate) seconds: f64,
    /// Length of its path on the ground while planted, in metres.
    pub(crate) path: f64,
    /// The largest distance from the centre of its plant, in metres.
    pub(crate) deviation: f64,
}

impl SlideSum {
    fn add(&mut self, plant: &Plant, slide: &Slide) {
        self.plants += 1;
        self.seconds += f64::from(plant.span.end - plant.span.start);
        self.path += f64::from(slide.path);
        self.deviation = self.deviation.max(slide.deviation.into());
    }

    /// `21.5 cm, at most 13.9`.
    pub(crate) fn text(&self) -> String {
        if self.plants == 0 {
            return "no contact".to_owned();
        }
        format!(
            "{:.1} cm ({:.1})",
            self.path * 100.0,
            self.deviation * 100.0
        )
    }
}

/// Returns a row for each limb end that is planted in any of the motions, and last the totals. Empty without plants.
pub(crate) fn slide_rows(skeleton: &Skeleton, motions: &[(&Animation, &[Plant])]) -> Vec<SlideRow> {
    let ends = [LimbEnd::Heel, LimbEnd::Ball, LimbEnd::Hand];
    let keys = [Side::Left, Side::Right, Side::Middle]
        .into_iter()
        .flat_map(|side| ends.map(|end| (side, end)));
    let keys: Vec<(Side, LimbEnd)> = keys.collect();
    let mut rows: Vec<SlideRow> = keys
        .iter()
        .map(|(side, end)| end_name(*end, *side))
        .chain(["total".to_owned()])
        .map(|name| SlideRow {
            name,
            slides: vec![SlideSum::default(); motions.len()],
        })
        .collect();
    for (motion, (animation, plants)) in motions.iter().enumerate() {
        let slides = measure_slides(skeleton, animation, plants);
        for (plant, slide) in plants.iter().zip(&slides) {
            let row = keys.iter().position(|key| *key == (plant.side, plant.end));
            for row in row.into_iter().chain([keys.len()]) {
                if let Some(sum) = rows.get_mut(row).and_then(|row| row.slides.get_mut(motion)) {
                    sum.add(plant, slide);
                }
            }
        }
    }
    rows.retain(|row| row.slides.iter().any(|sum| sum.plants > 0));
    rows
}
