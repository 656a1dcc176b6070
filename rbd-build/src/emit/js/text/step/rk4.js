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

/* Derivatives of a stage by q, v and tau: of the motion that leads there, the place, the velocity, the rate and
 * accelerations. */
const _three = () => [0, 1, 2].map(() => new Float64Array(NV * NV));

/* Begins sums of a step with derivatives. */
function _begin_derived(by_sum, by_gain) {
    _of_stage ??= { along: _three(), place: _three(), now: _three(), rate: _three(), ddq: _three() };
    _begin();
    for (const all of [by_sum, by_gain, _of_stage.rate, _of_stage.ddq]) all.forEach((m) => m.fill(0));
}

/* Computes a stage with its derivatives, and adds what it has. */
function _derived_stage(q, v, tau, time, weight, by_sum, by_gain) {
    const of = _of_stage;
    _reach(q, v, time);
    for (let m = 0; m < 3; m++) {
        _scaled(of.along[m], of.rate[m], time);
        _scaled(of.now[m], of.ddq[m], time);
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
            by_sum[m][k] += weight * of.rate[m][k];
            by_gain[m][k] += weight * of.ddq[m][k];
        }
    }
    _add_stage(weight);
}

DERIVATIVES(q, v, tau, dt) {
    const by_sum = [out.dq_dq, out.dq_dv, out.dq_dtau], by_gain = [out.dv_dq, out.dv_dv, out.dv_dtau];
    _begin_derived(by_sum, by_gain);
    for (const [time, weight] of _STAGES) _derived_stage(q, v, tau, time * dt, weight * dt, by_sum, by_gain);
    _end(q, v, out);
    _through(_sum, ...by_sum);
    _add_diagonal(out.dv_dv, 1);
    return out;
}
