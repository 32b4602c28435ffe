// Made for these tests and used nowhere else: nobody trusts them, which is what they are for. Valid for a hundred years.
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkaBMIQ84qdo9ALCp
Sin3qc3ldrf7A84IaMT9sV9rkTKhRANCAAQ3yBGtDcs3mMYl0ELI6arbv7Qug4L4
+JjQrsc6tNUfVSsaEJC5CCT6M/74UWzE0t0LyIIZeILDgW640utwjfp+
-----END PRIVATE KEY-----`;

/** Signed by itself. */
export const selfSigned = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUejO/koMrMT3/eEdPS2I5sZRXfS0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDIwNTQyN1oYDzIxMjYxMTA2
MjA1NDI3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ3yBGtDcs3mMYl0ELI6arbv7Qug4L4+JjQrsc6tNUfVSsaEJC5CCT6
M/74UWzE0t0LyIIZeILDgW640utwjfp+o1MwUTAdBgNVHQ4EFgQU6Eaq4dwyztx3
T+tipVfGgbGKAZgwHwYDVR0jBBgwFoAU6Eaq4dwyztx3T+tipVfGgbGKAZgwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAjdzLSW+owOJ8gLj3nuMW
kg5tuhTunEMfPyvPECYs3LgCIQCzDLJWZFv/Ty+VEXJpCcoX0HFfSItMS1fGES6Z
vWVG2g==
-----END CERTIFICATE-----`;

/** Signed by an authority whose own certificate is not sent along. */
export const withoutChain = `-----BEGIN CERTIFICATE-----
MIIBKjCB0AIUPb/RIuvCJx0veTJl48l/fIf/+FQwCgYIKoZIzj0EAwIwGTEXMBUG
A1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTMwMjA1NDI3WhgPMjEyNjExMDYy
MDU0MjdaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABDfIEa0NyzeYxiXQQsjpqtu/tC6Dgvj4mNCuxzq01R9VKxoQkLkIJPoz
/vhRbMTS3QvIghl4gsOBbrjS63CN+n4wCgYIKoZIzj0EAwIDSQAwRgIhALKUNCIN
xx/pKf2G4iVDJpi9uPkD5b28Z0y6NWqSe1KXAiEAkKwhINeIQOmIQWQtxaA/HqwL
mo7cvQqdCsKcqnZXgpQ=
-----END CERTIFICATE-----`;
