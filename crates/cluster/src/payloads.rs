//! The contents of the messages that are under way. Places are used again, so that a long execution touches
//! little memory.

/// For how many messages there is room from the beginning.
const ROOM: usize = 32;

/// Keeps contents by place.
pub(crate) struct Payloads<M> {
    places: Vec<Option<M>>,
    free: Vec<u32>,
}

impl<M> Default for Payloads<M> {
    fn default() -> Payloads<M> {
        Payloads { places: Vec::with_capacity(ROOM), free: Vec::with_capacity(ROOM) }
    }
}

impl<M> Payloads<M> {
    #[inline]
    pub fn put(&mut self, message: M) -> u32 {
        match self.free.pop() {
            Some(place) => {
                // A free place is empty: nothing is forgotten, and the compiler need not know how to drop it.
                std::mem::forget(self.places[place as usize].replace(message));
                place
            }
            None => {
                self.places.push(Some(message));
                self.places.len() as u32 - 1
            }
        }
    }

    #[inline]
    pub fn get(&self, place: u32) -> &M {
        self.places[place as usize].as_ref().expect("a message that is not gone has its contents")
    }

    #[inline]
    pub fn take(&mut self, place: u32) -> M {
        self.free.push(place);
        self.places[place as usize].take().expect("a message that is not gone has its contents")
    }

    /// What is left.
    pub fn into_contents(self) -> impl Iterator<Item = M> {
        self.places.into_iter().flatten()
    }

    pub fn replace(&mut self, place: u32, message: M) {
        self.places[place as usize] = Some(message);
    }
}
