//! The message a batch describes, built the way a host does it, and the events on the way.
