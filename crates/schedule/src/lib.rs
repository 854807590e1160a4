//! Legality of schedules, and new schedules from dependences.

pub mod legality;
