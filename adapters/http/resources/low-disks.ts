// Tests: tests/integration/full-disk.test.ts
/** The disks that the operator must look at. A server whose disk is not measured shows by its errors that it has no space. */
import { z } from 'zod'
import { isOutOfSpace, levelsOf, type DiskOwner, type OwnedDisk } from '../../../domain/disk.ts'
import { count } from '../../../domain/fields.ts'
import type { ApiParts } from '../parts.ts'

export const LowDisk = z.strictObject({
  disk: z.enum(['data_folder', 'postgres', 'event_store']),
  free_bytes: count.nullable().meta({ description: 'null if it is not measured.' }),
  full: z.boolean().meta({ description: 'Whether something waits or is refused because of it.' }),
  refusing: z.boolean().meta({ description: 'Whether new notifications are refused because of it.' }),
})

/** The disk because of which new notifications are refused. */
const refusingOf = (folder: OwnedDisk | undefined, hasEventStore: boolean): DiskOwner => {
  if (folder && (!hasEventStore || isOutOfSpace(folder.space))) return 'data_folder'
  return hasEventStore ? 'event_store' : 'postgres'
}

/** @param measured  all disks that are measured */
export const lowDisks = (
  measured: readonly OwnedDisk[],
  { disk, settings }: Pick<ApiParts, 'disk' | 'settings'>,
): z.input<typeof LowDisk>[] => {
  const folder = measured.find(({ of }) => of === 'data_folder')
  const refusing = disk.isFull() ? refusingOf(folder, settings.eventStoreUrl !== undefined) : null
  const full = new Set<DiskOwner>([
    ...(refusing ? [refusing] : []),
    ...(disk.isDatabaseFull() ? ['postgres' as const] : []),
  ])
  const shown = (of: DiskOwner, free_bytes: number | null) => ({
    disk: of,
    free_bytes,
    full: full.has(of),
    refusing: of === refusing,
  })
  const low = measured.filter(({ of, space }) => full.has(of) || levelsOf(space).below.length > 0)
  const others = [...full].filter((owner) => !measured.some(({ of }) => of === owner))
  return [...low.map(({ of, space }) => shown(of, Math.round(space.free))), ...others.map((of) => shown(of, null))]
}
