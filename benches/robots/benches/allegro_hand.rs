robot_benches::robot! { AllegroHand, "allegro_hand", pub struct AllegroHand { urdf: "../../robots/allegro_hand.urdf" } }
