/** Every projector there is, each with a subscription and a checkpoint of its own. A new one is a line here. */
import type { Definition } from './engine/definition.ts'
import { mainWith, type MainSettings } from './main.ts'
import { search } from './search.ts'

export const projectors = (settings: MainSettings): readonly Definition[] => [mainWith(settings), search]
