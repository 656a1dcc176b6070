//! Tests of what users write, in one program: their robots share what the compiler makes of generic code.

mod closed_loops;
mod contact_values;
mod contacts;
mod contacts_of_any;
mod contacts_of_limbs;
mod friction;
mod fused;
mod parameters;
mod second_order_values;
mod step;
