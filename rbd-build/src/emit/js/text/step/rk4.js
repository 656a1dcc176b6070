/* Time from the beginning, and weight, of each stage. */
const _STAGES = [[0, 1 / 6], [0.5, 1 / 3], [0.5, 1 / 3], [1, 1 / 6]];
const _place = new Float64Array(NQ), _now = new Float64Array(NV), _gained = new Float64Array(NV);
const _sum = new Float64Array(NV), _rate = new Float64Array(NV), _ddq = new Float64Array(NV);
let _first, _of_stage;

/* Begins sums of a step. */
function _begin() {
    for (const x of [_sum, _gained, _rate, _ddq]) x.fill(0);
}

/* The place of a stage, and the velocity there. */
function _reach(q, v, time) {
    for (let k = 0; k < NV; k++) {
        _along[k] = time * _rate[k];
        _now[k] = v[k] + time * _ddq[k];
    }
    integrate(q, _along, _place);
}

/* Adds what a stage has, under its accelerations. */
function _add_stage(weight) {
    _find_rate(_along, _now, _rate);
    for (let k = 0; k < NV; k++) {
        _sum[k] += weight * _rate[k];
        _gained[k] += weight * _ddq[k];
    }
}

/* The state at the end of a step. */
function _end(q, v, out) {
    for (let k = 0; k < NV; k++) out.v[k] = v[k] + _gained[k];
    integrate(q, _sum, out.q);
    return out;
}

STEP(q, v, tau, dt) {
    _begin();
    for (const [time, weight] of _STAGES) {
        _reach(q, v, time * dt);
        aba(_place, _now, tau, _ddq);
        _add_stage(weight * dt);
    }
    return _end(q, v, out);
}

/* to += a b, of NV x NV matrices */
function _add_product(to, a, b) {
    for (let c = 0; c < NV; c++) {
        for (let k = 0; k < NV; k++) {
            const s = b[NV * c + k];
            if (s !== 0) for (let r = 0; r < NV; r++) to[NV * c + r] += a[NV * k + r] * s;
        }
    }
}

DERIVATIVES(q, v, tau, dt) {
    const by_sum = [out.dq_dq, out.dq_dv, out.dq_dtau], by_gain = [out.dv_dq, out.dv_dv, out.dv_dtau];
    const three = () => [0, 1, 2].map(() => new Float64Array(NV * NV));
    _of_stage ??= { along: three(), place: three(), now: three(), rate: three(), ddq: three() };
    const of = _of_stage;
    _begin();
    for (const all of [by_sum, by_gain, of.rate, of.ddq]) all.forEach((m) => m.fill(0));
    for (const [time, weight] of _STAGES) {
        _reach(q, v, time * dt);
        for (let m = 0; m < 3; m++) {
            _scaled(of.along[m], of.rate[m], time * dt);
            _scaled(of.now[m], of.ddq[m], time * dt);
            of.place[m].set(of.along[m]);
        }
        _add_diagonal(of.now[1], 1);
        _through(_along, ...of.place);
        _first = aba_derivatives(_place, _now, tau, _first);
        _ddq.set(_first.ddq);
        for (let m = 0; m < 3; m++) {
            if (m === 2) of.ddq[m].set(_first.ddq_dtau);
            else of.ddq[m].fill(0);
            _add_product(of.ddq[m], _first.ddq_dq, of.place[m]);
            _add_product(of.ddq[m], _first.ddq_dv, of.now[m]);
            _find_rate_moved(_along, _now, of.along[m], of.now[m], of.rate[m]);
            for (let k = 0; k < NV * NV; k++) {
                by_sum[m][k] += weight * dt * of.rate[m][k];
                by_gain[m][k] += weight * dt * of.ddq[m][k];
            }
        }
        _add_stage(weight * dt);
    }
    _end(q, v, out);
    _through(_sum, ...by_sum);
    _add_diagonal(out.dv_dv, 1);
    return out;
}
