/**
 * The lab's own TLS certificates, made for the lab and for nothing else.
 *
 * The private key below is public on purpose: it protects no one, and lets STARTTLS work on a machine
 * without openssl. Both certificates are self-signed with it; one is good until 2056, one ran out in 2002.
 */

/** Valid from 2020 to 2056, signed by itself, for mail.mailvet-lab.example. */
export const LAB_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBgTCCASYCAQIwCgYIKoZIzj0EAwIwSzEmMCQGA1UECgwdTWFpbHZldCBsYWIs
IG5vdCBmb3IgcmVhbCB1c2UxITAfBgNVBAMMGG1haWwubWFpbHZldC1sYWIuZXhh
bXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMDU2MDEwMTAwMDAwMFowSzEmMCQGA1UE
CgwdTWFpbHZldCBsYWIsIG5vdCBmb3IgcmVhbCB1c2UxITAfBgNVBAMMGG1haWwu
bWFpbHZldC1sYWIuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEme
svLL2PNkefXsVHlYxI+kvh4EJfgl4mP8K3fcuxYXW0M049/m0QGrmoTc0dsXscSl
Z6ZBOQRG3Zg0/AeLKNowCgYIKoZIzj0EAwIDSQAwRgIhALU/YT9qZs5vXRqfzdpy
pkKUb4IXkwDfdXuJG+f+Ix6gAiEA/LThRTurdL3IyX1e4mZvGm+knLeviZ4VhwKu
H/Nva2U=
-----END CERTIFICATE-----
`;

/** Valid during 2001 only. */
export const EXPIRED_LAB_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBhTCCASoCAQEwCgYIKoZIzj0EAwIwTjEmMCQGA1UECgwdTWFpbHZldCBsYWIs
IG5vdCBmb3IgcmVhbCB1c2UxJDAiBgNVBAMMG2V4cGlyZWQubWFpbHZldC1sYWIu
ZXhhbXBsZTAeFw0wMTAxMDEwMDAwMDBaFw0wMjAxMDEwMDAwMDBaME4xJjAkBgNV
BAoMHU1haWx2ZXQgbGFiLCBub3QgZm9yIHJlYWwgdXNlMSQwIgYDVQQDDBtleHBp
cmVkLm1haWx2ZXQtbGFiLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AARJnrLyy9jzZHn17FR5WMSPpL4eBCX4JeJj/Ct33LsWF1tDNOPf5tEBq5qE3NHb
F7HEpWemQTkERt2YNPwHiyjaMAoGCCqGSM49BAMCA0kAMEYCIQCyo8PYtrhO9Ve7
QRToKJRbVPUbjgZqh9BSOP95Qso12AIhAJYmeh9ZQwGluDe6LbnoBDPt3nk55jRz
mGvhRaaQPsUt
-----END CERTIFICATE-----
`;

export const LAB_PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5MjG8urb8YpgD1M2
YXC+Jxww/KctUnQEBYWM5mv0UBmhRANCAARJnrLyy9jzZHn17FR5WMSPpL4eBCX4
JeJj/Ct33LsWF1tDNOPf5tEBq5qE3NHbF7HEpWemQTkERt2YNPwHiyja
-----END PRIVATE KEY-----
`;
