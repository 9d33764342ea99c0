/** DNS response codes (RFC 1035, 4.1.1). */

export const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];
