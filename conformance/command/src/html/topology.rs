//! A picture of the devices and the links between them.

use std::f64::consts::TAU;

use conformance::machine::{Device, Fabric, Link};
use conformance::report::Run;

use super::text;

/// The maximum number of devices whose boxes contain more than the device's number.
const ROOMY: usize = 10;

/// The picture. Lengths are in its own unit; its width is [`Topology::WIDTH`].
pub(super) struct Topology<'a> {
    pub(super) height: f64,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) lines: Vec<Line>,
    pub(super) kinds: Vec<Kind>,
    pub(super) matrix: Vec<Vec<Option<&'a Link>>>,
}

/// A device as a box.
pub(super) struct Node<'a> {
    pub(super) index: usize,
    pub(super) device: &'a Device,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) is_roomy: bool,
}

/// A link between two boxes. If both directions have the same properties, one line without an arrow stands for both.
pub(super) struct Line {
    pub(super) path: String,
    pub(super) style: Style,
    pub(super) is_one_way: bool,
    pub(super) title: String,
}

/// The links with the same properties.
pub(super) struct Kind {
    pub(super) words: String,
    pub(super) links: usize,
    pub(super) style: Style,
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) class: &'static str,
    pub(super) width: f64,
}

impl<'a> Topology<'a> {
    pub(super) const WIDTH: f64 = 480.0;

    pub(super) fn of(run: &'a Run) -> Self {
        let count = run.devices.len();
        let (width, height) = if count > ROOMY { (44.0, 30.0) } else { (96.0, 46.0) };
        let (across, down) = match count {
            0 | 1 => (0.0, 0.0),
            2 => (150.0, 0.0),
            3..=ROOMY => (185.0, 165.0),
            _ => (205.0, 205.0),
        };
        let tall = 2.0 * down + height + 20.0;
        // Two boxes are side by side; more are placed clockwise from the top.
        let start = if count == 2 { TAU / 2.0 } else { -TAU / 4.0 };
        let place = |index: usize| {
            let angle = start + TAU * index as f64 / count.max(1) as f64;
            (Self::WIDTH / 2.0 + across * angle.cos(), tall / 2.0 + down * angle.sin())
        };
        let node = |(index, device)| {
            let (x, y) = place(index);
            Node { index, device, x, y, width, height, is_roomy: count <= ROOMY }
        };
        let links: Vec<_> = run.links.iter().filter(|link| is_between(link, count)).collect();
        let mut likes: Vec<&Link> = Vec::new();
        for link in &links {
            if !likes.iter().any(|other| is_alike(other, link)) {
                likes.push(link);
            }
        }
        likes.sort_by_key(|link| (!link.access, link.performance_rank, !link.native_atomics, !link.arrays));
        let kind = |like: &&Link| Kind {
            words: words(like),
            links: links.iter().filter(|link| is_alike(link, like)).count(),
            style: Style::of(like),
        };
        let line = |link: &&Link| {
            let back = links.iter().find(|other| other.from == link.to && other.to == link.from);
            let is_one_way = !back.is_some_and(|back| is_alike(back, link));
            // The other direction adds the line.
            if !is_one_way && link.from > link.to {
                return None;
            }
            let ends = (place(index(link.from)?), place(index(link.to)?));
            let arrow = if is_one_way { "to" } else { "and" };
            Some(Line {
                path: path(ends, is_one_way, (width, height)),
                style: Style::of(link),
                is_one_way,
                title: format!("GPU {} {arrow} GPU {}: {}", link.from, link.to, words(link)),
            })
        };
        let cell =
            |from, to| links.iter().find(|link| index(link.from) == Some(from) && index(link.to) == Some(to)).copied();
        Self {
            height: tall,
            nodes: run.devices.iter().enumerate().map(node).collect(),
            lines: links.iter().filter_map(line).collect(),
            kinds: likes.iter().map(kind).collect(),
            matrix: (0..count).map(|from| (0..count).map(|to| cell(from, to)).collect()).collect(),
        }
    }

    /// Describes the picture for screen readers.
    pub(super) fn description(&self) -> String {
        let kinds: Vec<_> = self.kinds.iter().map(Kind::label).collect();
        format!("{}; {}", text::count(self.nodes.len(), "GPU"), kinds.join("; "))
    }
}

impl Kind {
    pub(super) fn label(&self) -> String {
        format!("{}: {}", text::count(self.links, "link"), self.words)
    }
}

impl Node<'_> {
    pub(super) fn left(&self) -> f64 {
        self.x - self.width / 2.0
    }

    pub(super) fn top(&self) -> f64 {
        self.y - self.height / 2.0
    }

    pub(super) fn memory(&self) -> String {
        text::bytes(self.device.memory)
    }

    /// Returns what the device supports of this suite's subject, according to its attributes.
    pub(super) fn abilities(&self) -> String {
        let Device { ipc, memory_pools, virtual_memory, memory_descriptors, managed_memory, .. } = self.device;
        let abilities = [
            (*ipc, "legacy IPC"),
            (*virtual_memory, "virtual memory"),
            (*memory_descriptors, "file descriptor handles"),
            (*memory_pools, "memory pools"),
            (*managed_memory, "managed memory"),
        ];
        abilities.into_iter().filter_map(|(has, word)| has.then_some(word)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn fabric(&self) -> &'static str {
        match self.device.fabric {
            Fabric::Absent => "absent",
            Fabric::NoChannel => "no IMEX channel for this process",
            Fabric::Channel => "usable",
            Fabric::OtherChannel => "an IMEX channel that differs from other processes'",
            Fabric::NotReady => "not ready",
        }
    }
}

impl Style {
    /// Returns a thicker line for a faster link, a dashed one without atomics, and a dotted one without access.
    fn of(link: &Link) -> Self {
        let width = match link.performance_rank {
            _ if !link.access => 1.0,
            ..=0 => 3.5,
            1 => 2.25,
            _ => 1.25,
        };
        let class = match (link.access, link.native_atomics) {
            (false, _) => "no-access",
            (true, false) => "no-atomics",
            (true, true) => "atomics",
        };
        Self { class, width }
    }
}

/// Describes a link.
pub(super) fn words(link: &Link) -> String {
    if !link.access {
        return "no access".to_owned();
    }
    let with = |has, what| if has { format!("with {what}") } else { format!("without {what}") };
    let (atomics, arrays) = (with(link.native_atomics, "atomics"), with(link.arrays, "arrays"));
    format!("access {atomics}, {arrays}, rank {}", link.performance_rank)
}

/// Returns whether two links have the same properties. Two links without access count as the same.
fn is_alike(one: &Link, other: &Link) -> bool {
    !(one.access || other.access) || Link { from: 0, to: 0, ..one.clone() } == Link { from: 0, to: 0, ..other.clone() }
}

/// Returns whether both ends are devices of the report.
fn is_between(link: &Link, count: usize) -> bool {
    let is_device = |end| index(end).is_some_and(|end| end < count);
    is_device(link.from) && is_device(link.to) && link.from != link.to
}

fn index(device: i32) -> Option<usize> {
    usize::try_from(device).ok()
}

/// Returns the path from one box to another. A line for both directions is straight. A line for one direction bends to
/// one side, so that it does not cover the line for the other.
fn path(((x1, y1), (x2, y2)): ((f64, f64), (f64, f64)), is_one_way: bool, (width, height): (f64, f64)) -> String {
    if !is_one_way {
        return format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}");
    }
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy);
    let bend = 34.0;
    let (bend_x, bend_y) = ((x1 + x2) / 2.0 - dy / length * bend, (y1 + y2) / 2.0 + dx / length * bend);
    // The arrow ends where the line meets the box.
    let (in_x, in_y) = (bend_x - x2, bend_y - y2);
    let until = (width / 2.0 / in_x.abs().max(f64::EPSILON)).min(height / 2.0 / in_y.abs().max(f64::EPSILON)).min(0.9);
    let (end_x, end_y) = (x2 + in_x * until, y2 + in_y * until);
    format!("M{x1:.1} {y1:.1}Q{bend_x:.1} {bend_y:.1} {end_x:.1} {end_y:.1}")
}
