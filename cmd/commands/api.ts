// Tests: tests/e2e/main-job-roles.test.ts
/** `baoco api`: receives notifications and serves the API. Any number of processes can run it. */
import { makeSignInLink } from '../../adapters/postgres/ops/sign-in-links.ts'
import { openUnshownSecrets } from '../../adapters/postgres/ops/unshown-secrets.ts'
import { openUsageCounters } from '../../adapters/postgres/ops/usage.ts'
import { createApi } from '../../adapters/http/api.ts'
import { READING_REQUESTS } from '../../adapters/http/parts.ts'
import { MOST_WAIT_MS } from '../../domain/errors.ts'
import { openImap } from '../../adapters/mail/imap.ts'
import { openPasswords } from '../../adapters/secrets/passwords.ts'
import { exactCounters } from '../../adapters/rate-limits/exact-counters.ts'
import { settledCounters } from '../../adapters/rate-limits/settled-counters.ts'
import { checkUrl } from '../../adapters/webhook-sender/check-url.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { registerFirstAccount } from '../../workflows/accounts/registration.ts'
import { openFeed } from '../../workflows/live/feed.ts'
import { untilAborted } from '../../workflows/support/abort.ts'
import { readWebFiles } from '../../adapters/http/dashboard/files.ts'
import { greeting } from '../process/greeting.ts'
import { diskHasSpace, readModelsAnswer, storeAnswers } from '../process/health-checks.ts'
import { REQUEST_GRACE_MS, roleCommand, type Role } from '../process/role.ts'

/**
 * The folder of the built dashboard. `../build.mjs` builds it beside the bundle, and writes its path into the bundle. Undefined if this process
 * runs from the sources, because the bundle could not be stored.
 */
const webFolder = (globalThis as { BAOCO_WEB?: string }).BAOCO_WEB

export const apiRole: Role = {
  name: 'api',
  description: 'receive notifications and serve the API; any number of processes',

  open: async (installation) => {
    const { settings, secrets, database, store, requestStore, ids, clock, vault, accounts, metrics, targets } =
      installation
    const passwords = openPasswords()
    const unshown = openUnshownSecrets(database, vault)
    // Its session holds a lock. If the start begins again in this process, that start must get the lock.
    installation.onClose(unshown.close)
    const fresh = await registerFirstAccount(
      { store, ids, clock, vault, passwords, unshown },
      { email: settings.adminEmail, password: settings.adminPassword, language: settings.adminLanguage },
    )
    if (!fresh) await unshown.close()
    // A link gives no more access than the printed password. If the operator chose the password, neither is printed.
    const first = fresh?.password ? await new Accounts(requestStore, accounts).find(fresh.user_id) : undefined
    const signInToken = first ? await makeSignInLink(database, first) : null
    const settled = settledCounters(database)
    const { abusePerHour: perHour, abusePolls: polls, abuseParallel: parallel } = settings
    const usage = openUsageCounters(database, { perHour, polls, parallel })
    const { readModels, onFailure, front } = installation
    const feed = openFeed({ store: requestStore, readModels, onFailure })
    const parts = {
      ...installation,
      store: requestStore,
      database: database.sharedWithin(MOST_WAIT_MS, READING_REQUESTS),
      feed,
      usage,
      counters: { exact: exactCounters(database), hot: settled.counterFor },
      passwords,
      mailServer: openImap(targets),
      accounts: new Accounts(requestStore, accounts),
      urlProblem: (url: string) => checkUrl(url, targets),
      web: webFolder === undefined ? null : readWebFiles(webFolder),
      metrics: metrics.registry,
      settings: { ...settings, jwtSecret: secrets.jwtSecret },
    }
    return {
      needs: [
        storeAnswers(installation),
        diskHasSpace(installation),
        readModelsAnswer(installation, { needed: false }),
      ],
      run: async (signal, readiness) => {
        front.api!.serve(createApi({ ...parts, readiness: () => readiness }))
        const settling = Promise.all([settled.run(signal), usage.run(signal)])
        await untilAborted(signal)
        // Open streams would keep the server from closing.
        await feed.close()
        await front.api!.close(REQUEST_GRACE_MS)
        await settling
      },
      greeting: () => greeting(settings.baseUrl, fresh, clock.now(), settings.adminLanguage, signInToken),
      greeted: async () => {
        if (fresh) await unshown.forget()
      },
    }
  },
}

export const api = roleCommand(apiRole)
