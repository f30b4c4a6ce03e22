//! What holds of the protocol.
