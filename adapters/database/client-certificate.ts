// Tests: tests/e2e/own-authority.test.ts
/** Recognises a client certificate that cannot be used, so that nothing waits for a server that will refuse it again. */
import { UnsuitableServer } from './requirements.ts'

/** A TLS server answers in this way, such as `ERR_SSL_TLSV1_ALERT_UNKNOWN_CA`. */
const REFUSED = /^ERR_SSL_.*_ALERT_.*(?:CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/
/** The key belongs to another certificate, has a password, or a file contains something else. */
const UNREADABLE = /^ERR_OSSL_/

/** @returns what is wrong with the certificate; null if the error has another cause */
export const certificateRefusal = (error: unknown): UnsuitableServer | null => {
  const { code = '', reason = code } = error as { code?: string; reason?: string }
  if (REFUSED.test(code))
    return new UnsuitableServer(
      `the server of DATABASE_URL refuses the client certificate (${reason.replace(/^.*alert /, '')}): check the files of sslcert and sslkey`,
    )
  if (UNREADABLE.test(code))
    return new UnsuitableServer(
      `the certificate files that DATABASE_URL names cannot be used (${reason}): check sslcert, sslkey and sslrootcert`,
    )
  return null
}
