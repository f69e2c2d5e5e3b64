/** Mocha's own report, and as the very last line the counts with which `.ci/run` ends. */
import mocha from 'mocha'

const { reporters } = mocha

export default class CountingReporter extends reporters.Spec {
  override epilogue(): void {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    console.log(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
  }
}
