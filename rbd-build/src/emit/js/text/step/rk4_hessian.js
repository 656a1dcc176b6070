/* What is kept of the stages: motions and velocities, and their derivatives. */
let _kept;

/* Results while they run. */
const _end_of = { q: new Float64Array(NQ), v: new Float64Array(NV) };
const [_by_place, _by_way, _of_along, _of_rate, _of_ddq, _of_u, _of_v] = Array.from({ length: 7 }, () => new Float64Array(NV));

/* to += a^T b, of NV x NV matrices */
function _add_turned_product(to, a, b) {
    for (let c = 0; c < NV; c++) {
        for (let r = 0; r < NV; r++) {
            let sum = 0;
            for (let k = 0; k < NV; k++) sum += a[NV * r + k] * b[NV * c + k];
            to[NV * c + r] += sum;
        }
    }
}

/* Adds the Hessian of weighted accelerations, by derivatives of the place and of the velocity. */
function _add_accelerations({ dqdq, dqdv, dvdv, dqdtau }, place, now, out) {
    const { of_place, of_now } = _kept;
    for (let y = 0; y < 3; y++) {
        if (y === 2) of_place.set(dqdtau);
        else of_place.fill(0);
        of_now.fill(0);
        _add_product(of_place, dqdq, place[y]);
        _add_product(of_place, dqdv, now[y]);
        _add_turned_product(of_now, dqdv, place[y]);
        _add_product(of_now, dvdv, now[y]);
        for (const [block, x] of _BLOCKS.filter((of) => of[2] === y)) {
            _add_turned_product(out[block], place[x], of_place);
            _add_turned_product(out[block], now[x], of_now);
            if (x === 2) _add_turned_product(out[block], dqdtau, place[y]);
        }
    }
}

HESSIAN(q, v, tau, dt, lambda_q, lambda_v) {
    const stage = () => ({ along: new Float64Array(NV), now: new Float64Array(NV), of_along: _three(), of_now: _three() });
    const matrix = () => new Float64Array(NV * NV);
    _kept ??= { stages: _STAGES.map(stage), sum: _three(), gain: _three(), of_place: matrix(), of_now: matrix() };
    const { stages, sum, gain } = _kept;
    _begin_derived(sum, gain);
    _STAGES.forEach(([time, weight], k) => {
        _derived_stage(q, v, tau, time * dt, weight * dt, sum, gain);
        stages[k].along.set(_along);
        stages[k].now.set(_now);
        for (let m = 0; m < 3; m++) {
            stages[k].of_along[m].set(_of_stage.along[m]);
            stages[k].of_now[m].set(_of_stage.now[m]);
        }
    });
    _end(q, v, _end_of);
    out.value[0] = _weighted(_end_of.q, _end_of.v, lambda_q, lambda_v);
    for (const [block] of _BLOCKS) out[block].fill(0);
    _add_curvature(_sum, lambda_q, sum, true, out);
    _find_gradients(_sum, lambda_q, out.dq, _of_along);
    out.dv.set(lambda_v);
    out.dtau.fill(0);
    _of_rate.fill(0);
    _of_ddq.fill(0);
    /* Weights of a stage's rate and accelerations come from the stage after it. */
    for (let k = 3; k >= 0; k--) {
        const { place } = _of_stage, [time, weight] = _STAGES[k], { along, now, of_along, of_now } = stages[k];
        for (let i = 0; i < NV; i++) {
            _of_rate[i] += weight * dt * _of_along[i];
            _of_ddq[i] += weight * dt * lambda_v[i];
        }
        _find_rate_back(_of_rate, stages[k], _of_u, _of_v, out);
        for (let m = 0; m < 3; m++) place[m].set(of_along[m]);
        _through(along, ...place);
        integrate(q, along, _place);
        _second = aba_hessian_with_first(_place, now, tau, _of_ddq, _first, _second);
        _add_accelerations(_second, place, of_now, out);
        _add_curvature(along, _second.dq, of_along, false, out);
        _find_gradients(along, _second.dq, _by_place, _by_way);
        for (let i = 0; i < NV; i++) {
            _of_v[i] += _second.dv[i];
            out.dtau[i] += _second.dtau[i];
            out.dq[i] += _by_place[i];
            out.dv[i] += _of_v[i];
            _of_rate[i] = time * dt * (_of_u[i] + _by_way[i]);
            _of_ddq[i] = time * dt * _of_v[i];
        }
    }
    return out;
}
