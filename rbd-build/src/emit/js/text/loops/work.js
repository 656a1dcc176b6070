/* Loops over tables (docs/math.md#loops-over-tables): the same text for every robot.
 *
 * A row is a degree of freedom, whose frame has its z axis along it; those of mimic joints have rows of their own, and a
 * body's frame is that of its joint's last row. Spatial vectors are [linear; angular], in the axes of a floating base or
 * else of the world, at the point of the row's segment. Row i of an array of k numbers a row begins at k i. */

/**
 * A robot's tables. A row or segment that is the world is -1.
 *
 * @typedef {object} Tables
 * @property {boolean} floats Whether the first joint is a floating base.
 * @property {Int16Array} above The row before each row on its path.
 * @property {Int16Array} first The first row of each row's joint.
 * @property {Int16Array} joint_end The row after the last one of each row's joint.
 * @property {Int16Array} end The row after the last one of each row's subtree.
 * @property {Int16Array} coordinate The velocity coordinate of each row.
 * @property {Int16Array} position The coordinate of q of each row.
 * @property {Int16Array} segment The segment of each row.
 * @property {Int16Array} angle How a coordinate moves its row: 0 by a length, 1 or 2 by an angle, 3 together with others.
 * @property {Int16Array} joint_first The first row of each joint.
 * @property {Int16Array} joint_last The last row of each joint.
 * @property {Int16Array} joint_position The first coordinate of q of each joint.
 * @property {Int16Array} joint_kind 0 for one degree of freedom, 1 planar, 2 spherical, 3 floating.
 * @property {Int16Array} segment_first The first row of each segment.
 * @property {Int16Array} segment_parent The segment that carries each segment.
 * @property {Int16Array} segment_rides Whether a segment's point moves with its first joint.
 * @property {Int16Array} up For each coordinate, the last earlier one that it is coupled to.
 * @property {Int16Array} reach For each coordinate, one past the last one that is coupled to it by `up`.
 * @property {Float64Array} placement Frames in their parents' at q = 0: three columns of the rotation, the translation.
 * @property {Float64Array} joint_frame Joint frames in the rows' frames: three columns of the rotation.
 * @property {Float64Array} ratio Factors of coordinates.
 * @property {Float64Array} offset Constants that are added to coordinates.
 * @property {Float64Array} turning 1 for rotations, else 0.
 * @property {Float64Array} mass Masses of bodies, kg.
 * @property {Float64Array} center Their centres, m.
 * @property {Float64Array} spread Their second moments about the centre, kg m^2: xx, xy, xz, yy, yz, zz.
 * @property {Float64Array} subtree_mass Masses of subtrees, kg.
 * @property {Float64Array} armature Rotor inertia of each coordinate.
 * @property {Float64Array} damping Damping of each coordinate.
 * @property {Float64Array} gravity Gravitational acceleration in the world.
 * @property {Float64Array} rubs Friction of each row.
 * @property {number} smoothing Velocity over which friction is smoothed; 0, if there is none.
 */

/* Memory of a robot's loops. */
function _work(t) {
    const rows = t.above.length, n = t.armature.length, segments = t.segment_first.length;
    const of = (k) => new Float64Array(k * rows);
    /* Coordinates that a coordinate is coupled to are from `low`, its root by `up`, to `high`. */
    const low = Int16Array.from(t.up, (_, k) => {
        while (t.up[k] >= 0) k = t.up[k];
        return k;
    });
    return {
        t, rows, n, several: t.joint_kind.some((kind) => kind !== 0),
        v: of(1), a: of(1), sine: of(1), cosine: of(1), length: of(1), tau: of(1),
        /* In the common axes, at the segment's point, and from the parent's origin to the joint's own. */
        frame: of(12), step: of(3),
        /* A segment's point, from that of the segment which carries it, or from that of the present segment. */
        hop: new Float64Array(3 * segments), point: new Float64Array(3 * segments),
        /* Axes, and p = v_parent x s, x = v_parent x s + v x s, r = a_parent x s + v_parent x p. */
        s: of(6), p: of(6), x: of(6), r: of(6), velocity: of(6), acceleration: of(6),
        /* Of bodies, then of subtrees: first and second moments; twice the momentum, and the angular block of the
         * Coriolis operator; forces. */
        inertia: of(9), drift: of(12), force: of(6),
        t1: of(6), t2: of(6), t3: of(6), t4: of(3),
        /* Articulated bodies, and what is left of a row: its column of inertia, the reciprocal of its own, the torque. */
        body: of(33), column: of(6), by: of(1), drive: of(1),
        /* Columns of the rotation from the world's axes, and the acceleration that stands for gravity. */
        world: new Float64Array(9), start: new Float64Array(6), rest: new Float64Array(6),
        place: new Float64Array(12), turn: new Float64Array(9), at: new Float64Array(12),
        one: new Float64Array(6), two: new Float64Array(6), three: new Float64Array(6), four: new Float64Array(6),
        mass: new Float64Array(n * n), factors: new Float64Array(n * n), pivots: new Float64Array(n),
        bias: new Float64Array(n), guess: new Float64Array(n), left: new Float64Array(n),
        low, high: Int16Array.from(low, (k) => t.reach[k]),
    };
}

/* The rotation of a unit quaternion x, y, z, w, by columns. */
function _rotation(q, at, m) {
    const x = q[at], y = q[at + 1], z = q[at + 2], w = q[at + 3], x2 = x + x, y2 = y + y, z2 = z + z;
    const xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2, wx = w * x2, wy = w * y2, wz = w * z2;
    m[0] = 1 - (yy + zz), m[1] = xy + wz, m[2] = xz - wy;
    m[3] = xy - wz, m[4] = 1 - (xx + zz), m[5] = yz + wx;
    m[6] = xz + wy, m[7] = yz - wx, m[8] = 1 - (xx + yy);
}

/* Coordinates of rows; what turns has its sine and cosine. */
function _gather(w, q, v) {
    const { t, rows, sine, cosine, length } = w;
    for (let i = 0; i < rows; i++) {
        w.v[i] = v === null ? 0 : v[t.coordinate[i]];
        sine[i] = length[i] = 0;
        cosine[i] = 1;
        if (t.angle[i] === 3) continue;
        const x = q[t.position[i]] * t.ratio[i] + t.offset[i];
        if (t.angle[i] === 0) length[i] = x;
        else {
            _angles[0] = x;
            _sin_cos(1);
            sine[i] = _sines[0];
            cosine[i] = _cosines[0];
        }
    }
}

/* The placement of a joint in its parent's frame, by its last row. */
function _place(w, j, row, q) {
    const { t, place, turn } = w, m = t.placement, o = 12 * row, kind = t.joint_kind[j], at = t.joint_position[j];
    const sine = w.sine[row], cosine = w.cosine[row];
    let x = 0, y = 0, z = w.length[row];
    if (kind === 1 || kind === 3) x = q[at], y = q[at + 1];
    if (kind === 3) z = q[at + 2];
    if (kind > 1) {
        _rotation(q, kind === 2 ? at : at + 3, turn);
        for (let k = 0; k < 3; k++) {
            for (let c = 0; c < 9; c += 3) place[c + k] = m[o + k] * turn[c] + m[o + 3 + k] * turn[c + 1] + m[o + 6 + k] * turn[c + 2];
        }
    } else {
        for (let k = 0; k < 3; k++) {
            place[k] = m[o + k] * cosine + m[o + 3 + k] * sine;
            place[3 + k] = m[o + 3 + k] * cosine - m[o + k] * sine;
            place[6 + k] = m[o + 6 + k];
        }
    }
    for (let k = 0; k < 3; k++) place[9 + k] = m[o + 9 + k] + m[o + k] * x + m[o + 3 + k] * y + m[o + 6 + k] * z;
}

/* Where every row is. */
function _placements(w, q) {
    const { t, frame, step, hop, place, world, start, at: m } = w;
    for (let k = 0; k < 9; k++) world[k] = k % 4 === 0 ? 1 : 0;
    if (t.floats) {
        _place(w, 0, 5, q);
        for (let k = 0; k < 3; k++) for (let c = 0; c < 3; c++) world[3 * c + k] = place[3 * k + c];
    }
    for (let k = 0; k < 3; k++) start[k] = -(world[k] * t.gravity[0] + world[3 + k] * t.gravity[1] + world[6 + k] * t.gravity[2]);
    for (let j = 0; j < t.joint_first.length; j++) {
        const first = t.joint_first[j], last = t.joint_last[j], parent = t.above[first], segment = t.segment[first];
        const r = parent >= 0 ? frame : world, o = parent >= 0 ? 12 * parent : 0;
        _place(w, j, last, q);
        const crosses = parent < 0 || t.segment[parent] !== segment, p = 12 * last, h = 3 * segment;
        for (let k = 0; k < 3; k++) {
            const x = r[o + k], y = r[o + 3 + k], z = r[o + 6 + k], origin = parent >= 0 ? r[o + 9 + k] : 0;
            const along = place[9] * x + place[10] * y + place[11] * z;
            m[k] = place[0] * x + place[1] * y + place[2] * z;
            m[3 + k] = place[3] * x + place[4] * y + place[5] * z;
            m[6 + k] = place[6] * x + place[7] * y + place[8] * z;
            m[9 + k] = origin + along;
            step[3 * last + k] = along;
            if (!crosses) continue;
            if (t.segment_first[segment] === first) {
                const still = t.placement[p + 9] * x + t.placement[p + 10] * y + t.placement[p + 11] * z;
                hop[h + k] = t.segment_rides[segment] !== 0 ? m[9 + k] : origin + still;
            }
            m[9 + k] -= hop[h + k];
        }
        if (t.floats && j === 0) for (let k = 0; k < 9; k++) m[k] = k % 4 === 0 ? 1 : 0;
        if (first === last) {
            for (let k = 0; k < 12; k++) frame[p + k] = m[k];
            continue;
        }
        /* The z axis of a row is along its degree of freedom: x, y, z in turn. */
        for (let i = first; i <= last; i++) {
            for (let c = 0; c < 3; c++) {
                const to = 12 * i + 3 * ((c + last - i) % 3);
                for (let k = 0; k < 3; k++) frame[to + k] = m[3 * c + k];
            }
            for (let k = 9; k < 12; k++) frame[12 * i + k] = m[k];
        }
    }
}
