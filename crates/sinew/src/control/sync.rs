//! Animations that keep in step.
//!
//! One of a group leads: the one that is seen most. The others are where it is, along the curve that the two share or
//! at the same share of their time ranges. How far the leader goes in an update is what all of them propose, each by
//! its own speed and translated into the leader's time, weighed by how much of each is seen: alone it goes at its own
//! speed, and where two are mixed the pace is between theirs (Kovar & Gleicher 2003, section 5).

use super::parameters::AnimationParameters;
use super::registrations::Shared;
use super::set::AnimationSet;
use super::wrapped::{ScalarRange, WrappedScalar};
use super::{BlendMode, LARGE_EPSILON, Name};
use alloc::vec::Vec;

/// Times that are off by more than this share of their range were moved by hand.
const MOVED: f64 = 1e-4;

/// How the time of one that keeps in step goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SyncStep {
    pub(super) range: ScalarRange,
    /// Whether it leads its group.
    pub(super) leads: bool,
}

/// For each playing animation the way that its time goes in `dt` seconds where it keeps in step with others; empty
/// where none does.
pub(super) fn steps(
    animations: &[AnimationParameters],
    dt: f32,
    set: Option<&AnimationSet>,
    steps: &mut Vec<Option<SyncStep>>,
) {
    steps.clear();
    let Some(start) = animations.iter().position(AnimationParameters::is_synced) else {
        return;
    };
    steps.resize(animations.len(), None);
    for first in start..animations.len() {
        let is_done = steps.get(first).is_some_and(Option::is_some);
        let Some(own) = animations
            .get(first)
            .filter(|own| own.is_synced() && !is_done)
        else {
            continue;
        };
        let group = Group::new(animations, own, set);
        let Some((leader, span)) = group.leader() else {
            continue;
        };
        let went = group.pace(leader, span, dt);
        for (at, member) in group.members() {
            if let Some(step) = steps.get_mut(at) {
                *step = Some(SyncStep {
                    range: group.way(leader, span, member, &went),
                    leads: core::ptr::eq(leader, member),
                });
            }
        }
    }
}

/// Puts an animation that is about to be added where the others of its group are, or where it can loop.
pub(super) fn join(
    animations: &[AnimationParameters],
    set: &AnimationSet,
    parameters: &mut AnimationParameters,
) {
    if !parameters.is_synced() {
        return;
    }
    let group = Group::new(animations, parameters, Some(set));
    let time = match group.leader() {
        Some((leader, span)) => {
            let link = group.link(leader, span, parameters);
            link.to_member(span.within(leader.time.value().into()))
        }
        None => group
            .span(parameters)
            .within(parameters.time.value().into()),
    };
    parameters.time.set(time as f32);
}

/// From when to when something loops.
#[derive(Clone, Copy)]
struct Span {
    min: f64,
    max: f64,
}

impl Span {
    fn within(&self, time: f64) -> f64 {
        time.max(self.min).min(self.max)
    }

    fn length(&self) -> f64 {
        self.max - self.min
    }

    fn has_room(&self) -> bool {
        self.length() > f64::from(LARGE_EPSILON)
    }

    fn at(&self, time: f64) -> WrappedScalar {
        WrappedScalar::new(time as f32, self.min as f32, self.max as f32)
    }
}

/// What plays of one group.
struct Group<'a> {
    animations: &'a [AnimationParameters],
    name: &'a Name,
    set: Option<&'a AnimationSet>,
    /// Whether only what is seen and not added to others counts; all do where nothing is.
    is_seen: bool,
    /// The lowest layer of those that count, and the first one there.
    layer: u32,
    first: usize,
}

impl<'a> Group<'a> {
    fn new(
        animations: &'a [AnimationParameters],
        own: &'a AnimationParameters,
        set: Option<&'a AnimationSet>,
    ) -> Self {
        let name = &own.sync_group;
        let any_seen = members(animations, name).any(|(_, own)| is_seen(own));
        let counts = members(animations, name).filter(|(_, own)| is_seen(own) || !any_seen);
        let least = counts.map(|(at, own)| (own.layer, at)).min();
        let (layer, first) = least.unwrap_or_default();
        Self {
            animations,
            name,
            set,
            is_seen: any_seen,
            layer,
            first,
        }
    }

    fn members(&self) -> impl DoubleEndedIterator<Item = (usize, &'a AnimationParameters)> {
        members(self.animations, self.name)
    }

    /// How much is seen of those that count, from the last to the first: each covers those before it, and the first
    /// counts in full.
    fn weights(&self) -> impl Iterator<Item = (&'a AnimationParameters, f64)> {
        let mut rest = 1.0;
        let counts = move |own: &AnimationParameters| {
            own.layer == self.layer && (is_seen(own) || !self.is_seen)
        };
        let members = self.members().rev().filter(move |(_, own)| counts(own));
        members.map(move |(at, own)| {
            let weight = if at == self.first {
                rest
            } else {
                rest * f64::from(own.applied_weight())
            };
            rest -= weight;
            (own, weight)
        })
    }

    /// Who is seen most, and where it loops.
    fn leader(&self) -> Option<(&'a AnimationParameters, Span)> {
        let most = |best: (&'a AnimationParameters, f64), own: (&'a AnimationParameters, f64)| {
            if own.1 >= best.1 { own } else { best }
        };
        let (leader, _) = self.weights().reduce(most)?;
        let whole = self.span(leader);
        let mut span = whole;
        for (_, member) in self.members() {
            if let Some(shared) = self.shared(leader, member)
                && !shared.curve.is_cyclic()
            {
                let own = self.span(member);
                span.min = span.min.max(translated(shared, 1, own.min));
                span.max = span.max.min(translated(shared, 1, own.max));
            }
        }
        Some((leader, if span.has_room() { span } else { whole }))
    }

    /// The part of a time range that is registered, or all of it.
    fn span(&self, own: &AnimationParameters) -> Span {
        let whole = Span {
            min: own.time.min().into(),
            max: own.time.max().into(),
        };
        let registered = self.set.and_then(|set| set.registered(own.animation));
        let part = registered.map(|[min, max]| Span {
            min: whole.min.max(min.into()),
            max: whole.max.min(max.into()),
        });
        part.filter(Span::has_room).unwrap_or(whole)
    }

    fn shared(
        &self,
        leader: &AnimationParameters,
        member: &AnimationParameters,
    ) -> Option<Shared<'a>> {
        let shared = self.set?.shared(leader.animation, member.animation)?;
        // A cyclic curve is of whole loops.
        let is_whole = |own: &AnimationParameters, motion: usize| {
            let length = f64::from(own.time.max()) - f64::from(own.time.min());
            let cycle = shared.curve.cycle(motion);
            cycle.is_none_or(|cycle| (length - cycle.seconds).abs() <= MOVED * cycle.seconds)
        };
        let [of_leader, of_member] = shared.motions;
        (is_whole(leader, of_leader) && is_whole(member, of_member)).then_some(shared)
    }

    fn link(
        &self,
        leader: &AnimationParameters,
        span: Span,
        member: &AnimationParameters,
    ) -> Link<'a> {
        let shared = self.shared(leader, member);
        let own = self.span(member);
        let mut link = Link {
            shared,
            leader: span,
            member: own,
        };
        if shared.is_some_and(|shared| !shared.curve.is_cyclic()) {
            link.member = Span {
                min: own.within(link.to_member(span.min)),
                max: own.within(link.to_member(span.max)),
            };
        }
        link
    }

    /// How the leader goes.
    fn pace(&self, leader: &AnimationParameters, span: Span, dt: f32) -> ScalarRange {
        let now = span.within(leader.time.value().into());
        let mut pace = 0.0;
        for (own, weight) in self.weights() {
            let step = dt * own.speed;
            let way = if core::ptr::eq(own, leader) {
                f64::from(step)
            } else if weight > 0.0 {
                let link = self.link(leader, span, own);
                if let Some(cycles) = link.cycles() {
                    cycles.to_leader(cycles.to_member(now) + f64::from(step)) - now
                } else {
                    let mut time = link.member.at(link.to_member(now));
                    let range = time.wrap(step);
                    let there = link.to_leader(time.value().into());
                    there - now + f64::from(range.wraps) * span.length()
                }
            } else {
                0.0
            };
            pace += weight * way;
        }
        span.at(now).wrap(pace as f32)
    }

    /// How a member goes when the leader went so.
    fn way(
        &self,
        leader: &AnimationParameters,
        span: Span,
        member: &AnimationParameters,
        went: &ScalarRange,
    ) -> ScalarRange {
        if core::ptr::eq(leader, member) {
            return *went;
        }
        let link = self.link(leader, span, member);
        if let Some(cycles) = link.cycles() {
            return cycles.way(member.time.value().into(), went);
        }
        let [begin, end] = [went.begin, went.end].map(|time| link.to_member(time.into()));
        let own = f64::from(member.time.value());
        // Rounding must not part the way from where the last one ended.
        let is_moved = (own - begin).abs() > MOVED * link.member.length();
        ScalarRange {
            begin: if is_moved {
                begin as f32
            } else {
                member.time.value()
            },
            end: link.member.at(end).value(),
            min: link.member.min as f32,
            max: link.member.max as f32,
            ..*went
        }
    }
}

/// The animations of a group, with their positions in the list.
fn members<'a>(
    animations: &'a [AnimationParameters],
    group: &'a Name,
) -> impl DoubleEndedIterator<Item = (usize, &'a AnimationParameters)> {
    let all = animations.iter().enumerate();
    all.filter(|(_, own)| own.is_synced() && own.sync_group == *group)
}

/// What ties a member to its leader.
struct Link<'a> {
    shared: Option<Shared<'a>>,
    leader: Span,
    member: Span,
}

impl<'a> Link<'a> {
    /// The same for loops on a cyclic curve.
    fn cycles(&self) -> Option<Cycles<'a>> {
        let shared = self.shared.filter(|shared| shared.curve.is_cyclic())?;
        let [leader, member] = shared.motions.map(|motion| shared.curve.cycle(motion));
        Some(Cycles {
            shared,
            leader: (self.leader.min, leader?.seconds),
            member: (self.member.min, member?.seconds),
            span: self.member,
        })
    }

    fn to_member(&self, time: f64) -> f64 {
        if let Some(cycles) = self.cycles() {
            let (start, length) = cycles.member;
            let time = cycles.to_member(time);
            return self
                .member
                .within(time - cycles_in(time - start, length) * length);
        }
        match self.shared {
            Some(shared) => self.member.within(translated(shared, 0, time)),
            None => along(&self.leader, &self.member, time),
        }
    }

    fn to_leader(&self, time: f64) -> f64 {
        if let Some(cycles) = self.cycles() {
            let (start, length) = cycles.leader;
            let time = cycles.to_leader(time);
            return self
                .leader
                .within(time - cycles_in(time - start, length) * length);
        }
        match self.shared {
            Some(shared) => self.leader.within(translated(shared, 1, time)),
            None => along(&self.member, &self.leader, time),
        }
    }
}

/// What ties two loops together that correspond over a whole cycle: their times go on from cycle to cycle.
struct Cycles<'a> {
    shared: Shared<'a>,
    /// Where the loops begin, and how long their cycles are, in seconds.
    leader: (f64, f64),
    member: (f64, f64),
    span: Span,
}

impl Cycles<'_> {
    fn to_member(&self, time: f64) -> f64 {
        self.translated([0, 1], [self.leader.0, self.member.0], self.member.1, time)
    }

    fn to_leader(&self, time: f64) -> f64 {
        self.translated([1, 0], [self.member.0, self.leader.0], self.leader.1, time)
    }

    /// A time of one loop as one of the other: a cycle of one later it is a cycle of the other later.
    fn translated(&self, between: [usize; 2], starts: [f64; 2], cycle: f64, time: f64) -> f64 {
        let curve = self.shared.curve;
        let [from, to] = between.map(|own| self.shared.motions[own]);
        let time = time - starts[0];
        let later = curve.cycles_before(from, time) * cycle;
        starts[1] + curve.time(to, curve.position(from, time)) + later
    }

    /// How the member goes from its time when the leader went so: it passes its own end at another moment.
    fn way(&self, own: f64, went: &ScalarRange) -> ScalarRange {
        let (start, length) = self.member;
        let passed = f64::from(went.wraps) * self.leader.1;
        let begin = self.to_member(went.begin.into());
        let end = self.to_member(f64::from(went.end) + passed);
        // Rounding must not part the way from where the last one ended, on whichever side of the seam that is.
        let off = begin - own - libm::rint((begin - own) / length) * length;
        let is_moved = off.abs() > MOVED * length;
        let first = if is_moved {
            cycles_in(begin - start, length)
        } else {
            libm::rint((begin - off - own) / length)
        };
        let last = cycles_in(end - start, length);
        ScalarRange {
            begin: if is_moved {
                (begin - first * length) as f32
            } else {
                own as f32
            },
            end: self.span.at(end - last * length).value(),
            min: self.span.min as f32,
            max: self.span.max as f32,
            wraps: (last - first) as i32,
            ..*went
        }
    }
}

/// Whole cycles before a time.
fn cycles_in(time: f64, length: f64) -> f64 {
    libm::floor(time / length)
}

/// A time of one of two motions as one of the other.
fn translated(shared: Shared<'_>, from: usize, time: f64) -> f64 {
    let [leader, member] = shared.motions;
    let (from, to) = if from == 0 {
        (leader, member)
    } else {
        (member, leader)
    };
    shared.curve.time(to, shared.curve.position(from, time))
}

/// A time of one span as one of another, by its share.
fn along(from: &Span, to: &Span, time: f64) -> f64 {
    if !from.has_room() {
        return to.min;
    }
    to.min + (from.within(time) - from.min) / from.length() * to.length()
}

/// Whether an animation can set the pace: what is only added to others, or not seen, does not.
fn is_seen(own: &AnimationParameters) -> bool {
    own.blend_mode == BlendMode::Lerp && own.weight > 0.0
}
