//! Sync groups: synchronized animations.
//!
//! The animation with the highest visible weight leads its group. The others follow its time, along the registration
//! curve that the two share or by normalized time. The leader advances by the weighted mean of the steps of all
//! members, each from its own speed and mapped to the leader's time. Alone an animation keeps its speed; in a blend
//! the pace lies between theirs (Kovar & Gleicher 2003, section 5).

use super::parameters::AnimationParameters;
use super::registrations::SharedCurve;
use super::set::AnimationSet;
use super::wrapped::{ScalarRange, WrappedScalar};
use super::{BlendMode, LARGE_EPSILON, Name};
use alloc::vec::Vec;

/// Times that deviate by more than this fraction of their range were set manually.
const MOVED: f64 = 1e-4;

/// The time step of a synchronized animation.
#[derive(Clone, Copy, Debug)]
pub(super) struct SyncStep {
    pub(super) range: ScalarRange,
    /// Whether it leads its group.
    pub(super) leads: bool,
}

/// Computes the time step of each synchronized animation in `dt` seconds into `steps`; empty if there is none.
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
        let Some(instance) = animations
            .get(first)
            .filter(|instance| instance.is_synced() && !is_done)
        else {
            continue;
        };
        let group = Group::new(animations, instance, set);
        let Some((leader, span)) = group.leader() else {
            continue;
        };
        let leader_range = group.pace(leader, span, dt);
        for (position, member) in group.members() {
            if let Some(step) = steps.get_mut(position) {
                *step = Some(SyncStep {
                    range: group.member_range(leader, span, member, &leader_range),
                    leads: core::ptr::eq(leader, member),
                });
            }
        }
    }
}

/// Sets the time of an animation that is about to be added to match its group, or clamps it to the range in which it
/// loops.
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
            link.to_member(span.clamp(leader.time.value().into()))
        }
        None => group.span(parameters).clamp(parameters.time.value().into()),
    };
    parameters.time.set(time as f32);
}

/// The time range of a loop.
#[derive(Clone, Copy)]
struct Span {
    min: f64,
    max: f64,
}

impl Span {
    fn clamp(&self, time: f64) -> f64 {
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

/// The playing animations of one group.
struct Group<'a> {
    animations: &'a [AnimationParameters],
    name: &'a Name,
    set: Option<&'a AnimationSet>,
    /// Whether only visible, non-additive animations count; all do if there are none.
    is_seen: bool,
    /// The lowest layer of the animations that count, and the position of the first one there.
    layer: u32,
    first: usize,
}

impl<'a> Group<'a> {
    fn new(
        animations: &'a [AnimationParameters],
        instance: &'a AnimationParameters,
        set: Option<&'a AnimationSet>,
    ) -> Self {
        let name = &instance.sync_group;
        let any_seen = members(animations, name).any(|(_, member)| is_seen(member));
        let counts = members(animations, name).filter(|(_, member)| is_seen(member) || !any_seen);
        let lowest = counts
            .map(|(position, member)| (member.layer, position))
            .min();
        let (layer, first) = lowest.unwrap_or_default();
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

    /// Returns the visible weights of the animations that count, from last to first: each covers those before it, and
    /// the first has full weight.
    fn weights(&self) -> impl Iterator<Item = (&'a AnimationParameters, f64)> {
        let mut rest = 1.0;
        let counts = move |member: &AnimationParameters| {
            member.layer == self.layer && (is_seen(member) || !self.is_seen)
        };
        let members = self
            .members()
            .rev()
            .filter(move |(_, member)| counts(member));
        members.map(move |(position, member)| {
            let weight = if position == self.first {
                rest
            } else {
                rest * f64::from(member.applied_weight())
            };
            rest -= weight;
            (member, weight)
        })
    }

    /// Returns the animation with the highest visible weight, and its loop range.
    fn leader(&self) -> Option<(&'a AnimationParameters, Span)> {
        let heavier = |best: (&'a AnimationParameters, f64),
                       candidate: (&'a AnimationParameters, f64)| {
            if candidate.1 >= best.1 {
                candidate
            } else {
                best
            }
        };
        let (leader, _) = self.weights().reduce(heavier)?;
        let leader_span = self.span(leader);
        let mut span = leader_span;
        for (_, member) in self.members() {
            if let Some(shared) = self.shared_curve(leader, member)
                && !shared.curve.is_cyclic()
            {
                let member_span = self.span(member);
                span.min = span.min.max(translate_time(shared, 1, member_span.min));
                span.max = span.max.min(translate_time(shared, 1, member_span.max));
            }
        }
        Some((leader, if span.has_room() { span } else { leader_span }))
    }

    /// Returns the registered part of a time range, or all of it.
    fn span(&self, instance: &AnimationParameters) -> Span {
        let full_span = Span {
            min: instance.time.min().into(),
            max: instance.time.max().into(),
        };
        let registered = self
            .set
            .and_then(|set| set.registered_range(instance.animation));
        let covered = registered.map(|[min, max]| Span {
            min: full_span.min.max(min.into()),
            max: full_span.max.min(max.into()),
        });
        covered.filter(Span::has_room).unwrap_or(full_span)
    }

    fn shared_curve(
        &self,
        leader: &AnimationParameters,
        member: &AnimationParameters,
    ) -> Option<SharedCurve<'a>> {
        let shared = self.set?.shared_curve(leader.animation, member.animation)?;
        // A cyclic curve covers whole loops.
        let is_whole = |instance: &AnimationParameters, motion: usize| {
            let length = f64::from(instance.time.max()) - f64::from(instance.time.min());
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
        let shared = self.shared_curve(leader, member);
        let member_span = self.span(member);
        let mut link = Link {
            shared,
            leader: span,
            member: member_span,
        };
        if shared.is_some_and(|shared| !shared.curve.is_cyclic()) {
            link.member = Span {
                min: member_span.clamp(link.to_member(span.min)),
                max: member_span.clamp(link.to_member(span.max)),
            };
        }
        link
    }

    /// Returns the time step of the leader.
    fn pace(&self, leader: &AnimationParameters, span: Span, dt: f32) -> ScalarRange {
        let now = span.clamp(leader.time.value().into());
        let mut pace = 0.0;
        for (member, weight) in self.weights() {
            let step = dt * member.speed;
            let advance = if core::ptr::eq(member, leader) {
                f64::from(step)
            } else if weight > 0.0 {
                let link = self.link(leader, span, member);
                if let Some(cycles) = link.cycles() {
                    cycles.to_leader(cycles.to_member(now) + f64::from(step)) - now
                } else {
                    // A member that wraps has advanced the leader by a whole loop, which its time does not show.
                    let mut time = link.member.at(link.to_member(now));
                    let range = time.wrap(step);
                    let leader_time = link.to_leader(time.value().into());
                    leader_time - now + f64::from(range.wraps) * span.length()
                }
            } else {
                0.0
            };
            pace += weight * advance;
        }
        span.at(now).wrap(pace as f32)
    }

    /// Returns the time step of a member for a step of the leader.
    fn member_range(
        &self,
        leader: &AnimationParameters,
        span: Span,
        member: &AnimationParameters,
        leader_range: &ScalarRange,
    ) -> ScalarRange {
        if core::ptr::eq(leader, member) {
            return *leader_range;
        }
        let link = self.link(leader, span, member);
        if let Some(cycles) = link.cycles() {
            return cycles.member_range(member.time.value().into(), leader_range);
        }
        let [begin, end] =
            [leader_range.begin, leader_range.end].map(|time| link.to_member(time.into()));
        let member_time = f64::from(member.time.value());
        // A rounding error must not separate the step from the end of the last one.
        let is_moved = (member_time - begin).abs() > MOVED * link.member.length();
        ScalarRange {
            begin: if is_moved {
                begin as f32
            } else {
                member.time.value()
            },
            end: link.member.at(end).value(),
            min: link.member.min as f32,
            max: link.member.max as f32,
            ..*leader_range
        }
    }
}

/// Returns the animations of a group, with their positions in the list.
fn members<'a>(
    animations: &'a [AnimationParameters],
    group: &'a Name,
) -> impl DoubleEndedIterator<Item = (usize, &'a AnimationParameters)> {
    let instances = animations.iter().enumerate();
    instances.filter(|(_, member)| member.is_synced() && member.sync_group == *group)
}

/// The time mapping between a member and its leader.
struct Link<'a> {
    shared: Option<SharedCurve<'a>>,
    leader: Span,
    member: Span,
}

impl<'a> Link<'a> {
    /// Returns the mapping for loops on a cyclic curve.
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
                .clamp(time - cycles_in(time - start, length) * length);
        }
        match self.shared {
            Some(shared) => self.member.clamp(translate_time(shared, 0, time)),
            None => rescaled_time(&self.leader, &self.member, time),
        }
    }

    fn to_leader(&self, time: f64) -> f64 {
        if let Some(cycles) = self.cycles() {
            let (start, length) = cycles.leader;
            let time = cycles.to_leader(time);
            return self
                .leader
                .clamp(time - cycles_in(time - start, length) * length);
        }
        match self.shared {
            Some(shared) => self.leader.clamp(translate_time(shared, 1, time)),
            None => rescaled_time(&self.member, &self.leader, time),
        }
    }
}

/// The time mapping between two loops on a cyclic curve: it extends periodically beyond one cycle.
struct Cycles<'a> {
    shared: SharedCurve<'a>,
    /// The start of each loop, and the length of its cycle, in seconds.
    leader: (f64, f64),
    member: (f64, f64),
    span: Span,
}

impl Cycles<'_> {
    fn to_member(&self, time: f64) -> f64 {
        self.translate_time([0, 1], [self.leader.0, self.member.0], self.member.1, time)
    }

    fn to_leader(&self, time: f64) -> f64 {
        self.translate_time([1, 0], [self.member.0, self.leader.0], self.leader.1, time)
    }

    /// Maps a time of one loop to the other; a cycle later in one is a cycle later in the other.
    fn translate_time(&self, order: [usize; 2], starts: [f64; 2], cycle: f64, time: f64) -> f64 {
        let curve = self.shared.curve;
        let [from, to] = order.map(|side| self.shared.motions[side]);
        let time = time - starts[0];
        let later = curve.cycles_before(from, time) * cycle;
        starts[1] + curve.time(to, curve.position(from, time)) + later
    }

    /// Returns the time step of the member, from its own time, for a step of the leader. The two pass their ends at
    /// different moments.
    fn member_range(&self, member_time: f64, leader_range: &ScalarRange) -> ScalarRange {
        let (start, length) = self.member;
        let passed = f64::from(leader_range.wraps) * self.leader.1;
        let begin = self.to_member(leader_range.begin.into());
        let end = self.to_member(f64::from(leader_range.end) + passed);
        // A rounding error must not separate the step from the end of the last one, on either side of the seam.
        let gap = begin - member_time - libm::rint((begin - member_time) / length) * length;
        let is_moved = gap.abs() > MOVED * length;
        let first = if is_moved {
            cycles_in(begin - start, length)
        } else {
            libm::rint((begin - gap - member_time) / length)
        };
        let last = cycles_in(end - start, length);
        ScalarRange {
            begin: if is_moved {
                (begin - first * length) as f32
            } else {
                member_time as f32
            },
            end: self.span.at(end - last * length).value(),
            min: self.span.min as f32,
            max: self.span.max as f32,
            wraps: (last - first) as i32,
            ..*leader_range
        }
    }
}

/// Returns the number of whole cycles before a time.
fn cycles_in(time: f64, length: f64) -> f64 {
    libm::floor(time / length)
}

/// Maps a time of one of two motions to the other.
fn translate_time(shared: SharedCurve<'_>, from: usize, time: f64) -> f64 {
    let [leader, member] = shared.motions;
    let (from, to) = if from == 0 {
        (leader, member)
    } else {
        (member, leader)
    };
    shared.curve.time(to, shared.curve.position(from, time))
}

/// Maps a time of one range to another by normalized time.
fn rescaled_time(from: &Span, to: &Span, time: f64) -> f64 {
    if !from.has_room() {
        return to.min;
    }
    to.min + (from.clamp(time) - from.min) / from.length() * to.length()
}

/// Returns whether an animation can set the pace: not if it is additive or invisible.
fn is_seen(instance: &AnimationParameters) -> bool {
    instance.blend_mode == BlendMode::Lerp && instance.weight > 0.0
}
