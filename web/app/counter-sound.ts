// Tests: tests/e2e/browser/dashboard.test.ts
/** The sound of a payment, and its amount spoken. Browsers allow both only after somebody has pressed something on the page. */
import type { Language } from '../texts/language.ts'

/** Hertz, two notes upwards. */
const NOTES = [660, 880] as const
const NOTE_S = 0.14
const LOUDNESS = 0.2

const SPOKEN_AS: Record<Language, string> = { vi: 'vi-VN', en: 'en-GB' }

let audio: AudioContext | undefined

const ring = (): void => {
  audio ??= new AudioContext()
  void audio.resume()
  NOTES.forEach((frequency, index) => {
    const begin = audio!.currentTime + index * NOTE_S
    const note = new OscillatorNode(audio!, { frequency })
    const volume = new GainNode(audio!, { gain: LOUDNESS })
    volume.gain.setTargetAtTime(0, begin + NOTE_S / 2, NOTE_S / 4)
    note.connect(volume).connect(audio!.destination)
    note.start(begin)
    note.stop(begin + NOTE_S * 2)
  })
}

/** @param sentence  in the language; it is spoken where the device has voices */
export const playPayment = (sentence: string, language: Language): void => {
  ring()
  if (!('speechSynthesis' in globalThis)) return
  const spoken = new SpeechSynthesisUtterance(sentence)
  spoken.lang = SPOKEN_AS[language]
  speechSynthesis.speak(spoken)
}
