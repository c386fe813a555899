//! A plot takes any numbers and texts, and its two outputs agree.

use crate::common::svg;
use proptest::prelude::*;
use sinew_draw::{
    Band, Bar, Bars, HeatLine, HeatMap, Lane, LaneSpan, Lanes, Level, Marker, PageRow, Panel, Plot,
    PlotPage, Scale, Series, Theme,
};
use svg::well_formed;

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -10.0f64..10.0,
        2 => any::<f64>(),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(1e300), Just(-1e300), Just(0.0)],
    ]
}

fn plot() -> impl Strategy<Value = Plot> {
    let points = prop::collection::vec((value(), value()), 0..30);
    let series = (".{0,40}", points).prop_map(|(name, points)| Series { name, points });
    let spans = prop::collection::vec((value(), value()), 0..4);
    let band = (".{0,10}", spans).prop_map(|(name, spans)| Band { name, spans });
    let marker = (value(), ".{0,10}").prop_map(|(x, label)| Marker { x, label });
    (
        (".{0,300}", ".{0,20}", ".{0,20}"),
        prop::collection::vec(series, 0..20),
        prop::collection::vec(band, 0..12),
        prop::collection::vec(marker, 0..3),
        prop::option::of((value(), value())),
        prop::collection::vec((value(), ".{0,10}"), 0..3),
        (any::<bool>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(
            |(texts, series, bands, markers, y_range, levels, flags)| Plot {
                title: texts.0,
                x_label: texts.1,
                y_label: texts.2,
                series,
                bands,
                markers,
                y_range,
                levels: levels
                    .into_iter()
                    .map(|(y, label)| Level { y, label })
                    .collect(),
                x_scale: scale(flags.0),
                y_scale: scale(flags.1),
                has_dots: flags.2,
            },
        )
}

fn scale(is_log: bool) -> Scale {
    if is_log { Scale::Log } else { Scale::Linear }
}

fn heat() -> impl Strategy<Value = HeatMap> {
    let line = (
        ".{0,20}",
        prop::collection::vec((value(), value()), 0..20),
        any::<bool>(),
    );
    let line = line.prop_map(|(name, points, is_dashed)| HeatLine {
        name,
        points,
        is_dashed,
    });
    let level = (value(), ".{0,10}").prop_map(|(y, label)| Level { y, label });
    (
        ".{0,40}",
        (0usize..9, prop::collection::vec(value(), 0..60)),
        ((value(), value()), (value(), value())),
        prop::option::of((value(), value())),
        prop::collection::vec(line, 0..5),
        prop::collection::vec(level, 0..3),
    )
        .prop_map(
            |(title, (columns, cells), ranges, scale_range, lines, levels)| HeatMap {
                x_label: title.clone(),
                y_label: title.clone(),
                scale_label: title.clone(),
                title,
                columns,
                cells: cells.into_iter().map(|cell| cell as f32).collect(),
                x_range: ranges.0,
                y_range: ranges.1,
                scale_range,
                levels,
                lines,
            },
        )
}

fn lanes() -> impl Strategy<Value = Lanes> {
    let span = (value(), value(), prop::option::of(0usize..3), ".{0,9}");
    let span = span.prop_map(|(from, to, group, label)| LaneSpan {
        from,
        to,
        group,
        label,
    });
    let lane = (".{0,20}", prop::collection::vec(span, 0..5));
    let lane = lane.prop_map(|(name, spans)| Lane { name, spans });
    (
        ".{0,20}",
        (value(), value()),
        prop::collection::vec(lane, 0..9),
    )
        .prop_map(|(title, x_range, lanes)| Lanes {
            x_label: title.clone(),
            title,
            x_range,
            lanes,
        })
}

fn page() -> impl Strategy<Value = PlotPage> {
    let bar = (".{0,40}", value()).prop_map(|(name, amount)| Bar { name, amount });
    let bars = (".{0,40}", prop::collection::vec(bar, 0..60)).prop_map(|(title, bars)| Bars {
        x_label: title.clone(),
        title,
        bars,
    });
    let panel = prop_oneof![
        plot().prop_map(Panel::Plot),
        bars.prop_map(Panel::Bars),
        heat().prop_map(Panel::Heat),
        lanes().prop_map(Panel::Lanes)
    ];
    let row = (value(), prop::collection::vec(panel, 0..3)).prop_map(|(height, panels)| PageRow {
        height: height as f32,
        panels,
    });
    (".{0,80}", prop::collection::vec(row, 0..4)).prop_map(|(title, rows)| PlotPage {
        subtitle: title.clone(),
        title,
        rows,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn any_plot_is_drawn_both_ways(plot in plot(), width in 0u32..300, height in 0u32..200) {
        let svg = plot.to_svg(width, height);
        prop_assert!(well_formed(&svg).is_ok(), "{:?}", well_formed(&svg));
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let image = plot.to_image(width, height);
        prop_assert_eq!((image.width(), image.height()), (width, height));
    }

    #[test]
    fn any_page_is_drawn_both_ways(page in page(), width in 0u32..500, height in 0u32..300) {
        for theme in [Theme::Light, Theme::Dark] {
            let svg = page.to_svg_on(theme, width, height);
            prop_assert!(well_formed(&svg).is_ok(), "{:?}", well_formed(&svg));
            // What is in pictures may spell anything.
            let texts = svg.lines().filter(|line| !line.starts_with("<image"));
            for line in texts {
                prop_assert!(!line.contains("NaN") && !line.contains("inf"));
            }
            let image = page.to_image_on(theme, width, height);
            prop_assert_eq!((image.width(), image.height()), (width, height));
        }
    }
}

fn wave(count: u32) -> Plot {
    let points = (0..count).map(|i| {
        let t = f64::from(i) / f64::from(count);
        (t, libm::sin(t * 400.0) * libm::sin(t * 3.0))
    });
    Plot {
        title: "a < b & \"c\"".into(),
        x_label: "time (s)".into(),
        y_label: "angle (rad)".into(),
        series: vec![Series::new("wave", points.collect())],
        ..Plot::default()
    }
}

#[test]
fn texts_are_escaped() {
    let svg = wave(10).to_svg(400, 300);
    assert!(svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"));
}

#[test]
fn a_hundred_thousand_points_make_a_small_file() {
    let svg = wave(100_000).to_svg(600, 300);
    assert!(svg.len() < 40_000, "{} bytes", svg.len());
}

#[test]
fn curves_have_the_colour_of_their_legend() {
    let image = wave(1000).to_image(400, 300);
    let blue = image
        .pixels()
        .chunks_exact(4)
        .filter(|p| p[..3] == [0, 114, 178]);
    assert!(blue.count() > 50);
    assert!(wave(1000).to_svg(400, 300).matches("#0072b2").count() >= 2);
}

#[test]
fn one_point_is_a_dot() {
    let plot = Plot {
        series: vec![Series::new("", vec![(1.0, 2.0)])],
        ..Plot::default()
    };
    assert!(plot.to_svg(300, 200).contains("<circle"));
}

#[test]
fn a_given_range_cuts_curves_off() {
    let mut plot = wave(1000);
    plot.y_range = Some((10.0, 20.0));
    let with = plot.to_svg(400, 300);
    plot.series[0].points.clear();
    plot.series[0].points.push((0.0, 0.0));
    plot.series[0].points.push((0.999, 0.0));
    assert_eq!(
        with.matches("<path").count(),
        plot.to_svg(400, 300).matches("<path").count()
    );
}

#[test]
fn a_heat_map_is_as_dark_as_its_numbers_are_small() {
    let mut map = HeatMap {
        x_range: (0.0, 2.0),
        y_range: (0.0, 2.0),
        ..HeatMap::default()
    };
    map.fill(2, 2, |row, column| (row * 2 + column) as f32);
    let page = PlotPage {
        rows: vec![PageRow {
            height: 1.0,
            panels: vec![Panel::Heat(map)],
        }],
        ..PlotPage::default()
    };
    let image = page.to_image(300, 300);
    let luma = |x: u32, y: u32| {
        let [r, g, b, _] = image.pixel(x, y);
        299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)
    };
    let corners = [(60, 200), (180, 200), (60, 60), (180, 60)].map(|(x, y)| luma(x, y));
    assert!(corners.is_sorted(), "{corners:?}");
    assert!(corners[0] + 100_000 < corners[3]);
}
