/** Arguments: any array of numbers. */
export type Numbers = ArrayLike<number> & { slice(from?: number, to?: number): ArrayLike<number> };

/** A moving joint. */
export interface Joint {
    /** Its name in the URDF. */
    readonly name: string;
    /**
     * `revolute` has one angle with limits, `continuous` one without, `prismatic` a length. `planar` has x, y and an angle;
     * `spherical` a unit quaternion x, y, z, w, and as velocity the angular velocity in the child's frame; `floating`
     * x, y, z and such a quaternion, and as velocity the linear and the angular one in the child's frame.
     */
    readonly kind: "revolute" | "continuous" | "prismatic" | "planar" | "spherical" | "floating";
    /** Its first coordinate in q. */
    readonly idx_q: number;
    /** Number of its coordinates in q. */
    readonly nq: number;
    /** Its first coordinate in v. */
    readonly idx_v: number;
    /** Number of its coordinates in v. */
    readonly nv: number;
    /** The joint before it, as an index into `JOINTS`. */
    readonly parent: number | null;
    /** The joint that it follows: its position is multiplier * q + offset. */
    readonly mimic: { readonly joint: number; readonly multiplier: number; readonly offset: number } | null;
    /** Least position, rad or m; infinite if the URDF states none, as all limits. */
    readonly lower: number;
    /** Greatest position, rad or m. */
    readonly upper: number;
    /** Greatest speed, rad/s or m/s. */
    readonly velocity: number;
    /** Greatest torque or force, N m or N. */
    readonly effort: number;
    /** Viscous damping, N m s/rad or N s/m. */
    readonly damping: number;
    /** Dry friction, N m or N. */
    readonly friction: number;
    /** Rotor inertia, kg m^2 or kg. */
    readonly armature: number;
}

/** The moving joints, depth first from the root. */
export const JOINTS: readonly Joint[];
/** Pinocchio's order: q_pinocchio[i] is q[PINOCCHIO_Q[i]]. */
export const PINOCCHIO_Q: readonly number[];
/** Pinocchio's order: v_pinocchio[i] is v[PINOCCHIO_V[i]]. */
export const PINOCCHIO_V: readonly number[];

/** The configuration in which every joint is at zero, and quaternions are the identity. */
export function neutral(q?: Float64Array): Float64Array;
/** The configuration reached from q by the tangent vector dv, a velocity times a time. `to` may be q. */
export function integrate(q: Numbers, dv: Numbers, to?: Float64Array): Float64Array;
/** The tangent vector that leads from q0 to q1. */
export function difference(q0: Numbers, q1: Numbers, dv?: Float64Array): Float64Array;
/** The configuration at t on the way from q0 (t = 0) to q1 (t = 1). `to` may be q0 or q1. */
export function interpolate(q0: Numbers, q1: Numbers, t: number, to?: Float64Array): Float64Array;

