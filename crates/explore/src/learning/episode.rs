//! An episode: the states that were come through, what could be done in each, and what was done.

use std::ops::Range;

use super::Situation;
use crate::fuzz::saved::{Reader, Writer};

/// What packed episodes begin with.
const MAGIC: &[u8] = b"e1";

/// A state on the way.
#[derive(Clone, Debug)]
pub struct Place {
    /// Stands for the state.
    pub state: u64,
    /// Stands for what is covered by coming here: the same for states that differ in nothing that counts.
    pub covered: u64,
    /// The waypoint that the episode is at; see [`Situation::level`].
    pub level: usize,
    /// Which of the predicates hold that are only looked at, the first as the lowest bit.
    pub watched: u64,
    /// Where the actions of this state stand.
    actions: Range<usize>,
}

/// One step of an episode.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// Which step of the episode, counted from 0.
    pub step: usize,
    /// Where it was done.
    pub from: &'a Place,
    /// What was done.
    pub action: u64,
    /// Where it led; nothing if the episode ended before that could be seen.
    pub to: Option<&'a Place>,
    /// What could be done there, if the episode went on from there.
    pub next_actions: &'a [u64],
}

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Episode {
    /// How many waypoints there are.
    waypoints: usize,
    places: Vec<Place>,
    actions: Vec<u64>,
    chosen: Vec<u64>,
}

impl Episode {
    /// An episode that has not begun, on a way with so many waypoints.
    pub fn new(waypoints: usize) -> Episode {
        let (places, actions, chosen) =
            (Vec::with_capacity(32), Vec::with_capacity(256), Vec::with_capacity(32));
        Episode { waypoints, places, actions, chosen }
    }

    /// Comes to a state, in which the waypoint number `level` holds and none after it (0 if none holds), and
    /// in which these actions can be done. Once the last waypoint was reached, the episode stays there
    /// (Algorithm 3, `recordStep`).
    pub fn arrive(&mut self, state: u64, covered: u64, level: usize, actions: impl IntoIterator<Item = u64>) {
        let has_reached = self.places.last().is_some_and(|last| last.level == self.waypoints);
        let level = if has_reached { self.waypoints } else { level };
        let first = self.actions.len();
        self.actions.extend(actions);
        self.places.push(Place { state, covered, level, watched: 0, actions: first..self.actions.len() });
    }

    /// Notes which of the predicates hold here that are only looked at.
    pub fn watch(&mut self, watched: u64) {
        if let Some(place) = self.places.last_mut() {
            place.watched = watched;
        }
    }

    /// Where the episode stands.
    ///
    /// # Panics
    /// If it has not begun.
    pub fn situation(&self) -> Situation<'_> {
        let place = self.places.last().expect("an episode begins by arriving somewhere");
        Situation {
            state: place.state,
            level: place.level,
            step: self.chosen.len(),
            actions: &self.actions[place.actions.clone()],
        }
    }

    /// Does the action that stands at this place in the situation.
    ///
    /// # Panics
    /// If there is no such action.
    pub fn choose(&mut self, place: usize) {
        let action = self.situation().actions[place];
        self.chosen.push(action);
    }

    /// As bytes: every action is written once, and what was chosen by its place.
    pub(super) fn pack(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.number(self.waypoints as u64);
        writer.number(self.places.len() as u64);
        for (step, place) in self.places.iter().enumerate() {
            let actions = &self.actions[place.actions.clone()];
            let chosen =
                self.chosen.get(step).and_then(|chosen| actions.iter().position(|one| one == chosen));
            writer.number(place.state);
            writer.number(place.covered);
            writer.number(place.level as u64);
            writer.number(place.watched);
            writer.number(chosen.map_or(0, |chosen| chosen as u64 + 1));
            writer.number(actions.len() as u64);
            actions.iter().for_each(|action| writer.number(*action));
        }
        writer.finish()
    }

    /// Reads what [`Episode::pack`] gave, on a way with so many waypoints.
    pub(super) fn unpack(packed: &[u8], waypoints: usize) -> Result<Episode, String> {
        let mut reader = Reader::new(packed, MAGIC)?;
        if reader.number()? != waypoints as u64 {
            return Err("the episode is of another way".to_owned());
        }
        let mut episode = Episode::new(waypoints);
        let count = reader.count(6 * 8)?;
        for step in 0..count {
            let (state, covered, level) = (reader.number()?, reader.number()?, reader.number()?);
            let level = usize::try_from(level).ok().filter(|level| *level <= waypoints);
            let level = level.ok_or("there is no such waypoint")?;
            let (watched, chosen) = (reader.number()?, reader.number()?);
            let actions = (0..reader.count(8)?).map(|_| reader.number()).collect::<Result<Vec<_>, _>>()?;
            let has_action = usize::try_from(chosen).is_ok_and(|chosen| chosen <= actions.len());
            if !has_action || (chosen == 0 && step + 1 < count) {
                return Err(format!("there is no action {chosen} in step {step}"));
            }
            episode.arrive(state, covered, level, actions);
            episode.watch(watched);
            if chosen > 0 {
                episode.choose(chosen as usize - 1);
            }
        }
        reader.finish()?;
        Ok(episode)
    }

    /// How many steps were done.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether no step was done.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// How many waypoints there are.
    pub fn waypoints(&self) -> usize {
        self.waypoints
    }

    /// The states that were come through, in order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// A step.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn transition(&self, step: usize) -> Transition<'_> {
        let to = self.places.get(step + 1);
        // The last step of an episode leads nowhere: what could be done after it does not matter any more.
        let goes_on = step + 1 < self.chosen.len();
        let next_actions = to.filter(|_| goes_on).map_or(&[][..], |to| &self.actions[to.actions.clone()]);
        Transition { step, from: &self.places[step], action: self.chosen[step], to, next_actions }
    }

    /// The steps, in order.
    pub fn transitions(&self) -> impl DoubleEndedIterator<Item = Transition<'_>> + ExactSizeIterator {
        (0..self.len()).map(|step| self.transition(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_the_last_waypoint_was_reached_the_episode_stays_there() {
        let mut episode = Episode::new(2);
        for level in [0, 1, 0, 2, 1, 0] {
            episode.arrive(7, 7, level, [1, 2]);
            episode.choose(1);
        }
        let levels: Vec<_> = episode.places().iter().map(|place| place.level).collect();
        assert_eq!(levels, [0, 1, 0, 2, 2, 2]);
    }

    #[test]
    fn the_last_step_leads_to_a_state_in_which_nothing_can_be_done_any_more() {
        let mut episode = Episode::new(0);
        episode.arrive(1, 1, 0, [10, 11]);
        episode.choose(1);
        episode.arrive(2, 2, 0, [20]);
        episode.choose(0);
        episode.arrive(3, 3, 0, [30, 31]);
        let steps: Vec<_> = episode
            .transitions()
            .map(|step| {
                (step.from.state, step.action, step.to.map(|to| to.state), step.next_actions.to_vec())
            })
            .collect();
        assert_eq!(steps, [(1, 11, Some(2), vec![20]), (2, 20, Some(3), vec![])]);
    }
}
