/* Other robots may be in float, or in double. */
#undef RBD_RANGE
#undef RBD_TWO_OVER_PI
#undef RBD_ROUND
#undef RBD_HALF_PI_1
#undef RBD_HALF_PI_2
#undef RBD_HALF_PI_3
#undef RBD_SIGN_SHIFT
#undef RBD_SIN_POLYNOMIAL
#undef RBD_COS_POLYNOMIAL
#ifdef RBD_SIN_IS_OWN
#undef RBD_SIN_IS_OWN
#undef RBD_SIN
#undef RBD_COS
#endif
/* Names of a robot are in these. */
#undef RBD_FUNCTION
#undef RBD_STRIDE
#undef RBD_STATES
#undef RBD_AT
