
/* acados' discrete dynamics, of states x = [q; v] and controls u = tau. The parameter p is dt (s), and under contacts
 * [dt; active; mu; kp; kd; axes; anchors]: one number for each contact above 0.5 if it holds, 1 for the world's axes, and twelve for
 * each contact, columns of the rotation and then the position where it is pulled to, or zeros.
 *
 * Functions that end in _casadi have the form that acados knows by CasADi: name, name_n_in, name_sparsity_out, .. . The others
 * take BLASFEO's vectors and matrices: these are for AcadosModel, with dyn_ext_fun_type = "generic". */
