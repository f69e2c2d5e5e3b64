// Tests: tests/e2e/browser/dashboard.test.ts
export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="4" fill="#0B5D4E" />
    <path d="M7 10h18M7 16h12M7 22h18" stroke="#fff" stroke-width="2" />
    <circle cx="24" cy="16" r="2.5" fill="#6FCF97" />
  </svg>
)
