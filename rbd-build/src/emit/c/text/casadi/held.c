/* The contacts that hold: those whose number in `active` is above a half. */
static void ROBOT_casadi_chosen(const double *active, int *to)
{
    int k;
    for (k = 0; k < ROBOT_casadi_nc; k++) to[k] = active[k] > 0.5;
}

/* Settings of a call, of mu, kp, kd and the axes. A contact whose anchor is all zeros has none. */
static void ROBOT_casadi_set(const double *settings, const double *anchors, ROBOT_contact_settings_t *to)
{
    int k, c;
    to->mu = settings[0];
    to->iterations = 1;
    to->kp = settings[1];
    to->kd = settings[2];
    to->axes = settings[3] > 0.5;
    for (k = 0; k < ROBOT_casadi_nc; k++) {
        to->anchors[k] = 0;
        for (c = 0; c < 12; c++) {
            if (anchors[12 * k + c] != 0) to->anchors[k] = anchors + 12 * k;
        }
    }
}
