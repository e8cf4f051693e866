// The names of cuSOLVER's types.
#pragma once
typedef struct cusolverDnStub *cusolverDnHandle_t;
enum cusolverStatus_t { CUSOLVER_STATUS_SUCCESS };
