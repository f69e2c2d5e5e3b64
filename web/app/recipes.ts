/** How each forwarder app is set up, as `docs/connect-a-phone.md` explains it: what to enter, with the user's own URL. */

export interface Recipe {
  /** Also the key of its steps in the texts. */
  id: 'incoming' | 'smsforwarder' | 'gateway' | 'httpsms' | 'macrodroid' | 'tasker' | 'shortcuts' | 'other'
  name: string
  system: 'Android' | 'iOS' | ''
  reads: 'sms' | 'push' | 'both'
  /** The text after the personal URL. `Vietcombank` and `com.VCB` are examples. */
  query: string
  /** The template to enter, if the app has one, or the command to run. `{personal_url}` stands for the user's own URL. */
  template?: string
  /** Whether the app never sends a notification again. */
  sendsOnce?: true
}

export const RECIPES: readonly Recipe[] = [
  {
    id: 'incoming',
    name: 'Incoming SMS to URL forwarder',
    system: 'Android',
    reads: 'sms',
    query: '?sender=Vietcombank',
    template:
      '{\n  "text":"%text%",\n  "sentStamp":%sentStamp%,\n  "receivedStamp":%receivedStamp%,\n  "sim":"%sim%"\n}',
  },
  {
    id: 'smsforwarder',
    name: 'SmsForwarder',
    system: 'Android',
    reads: 'both',
    query: '',
    template: 'package=[from]&title=[title]&text=[org_content]&timestamp=[timestamp]',
  },
  {
    id: 'gateway',
    name: 'SMS Gateway for Android',
    system: 'Android',
    reads: 'sms',
    query: '',
    template: `curl --user USERNAME:PASSWORD --json '{"event":"sms:received","url":"{personal_url}"}' https://api.sms-gate.app/3rdparty/v1/webhooks`,
  },
  { id: 'httpsms', name: 'httpSMS', system: 'Android', reads: 'sms', query: '' },
  {
    id: 'macrodroid',
    name: 'MacroDroid',
    system: 'Android',
    reads: 'both',
    query: '',
    template: '{notification}',
    sendsOnce: true,
  },
  {
    id: 'tasker',
    name: 'Tasker + AutoNotification',
    system: 'Android',
    reads: 'push',
    query: '?package=com.VCB&title=%antitle',
    template: '%antext',
    sendsOnce: true,
  },
  { id: 'shortcuts', name: 'iOS Shortcuts', system: 'iOS', reads: 'sms', query: '', sendsOnce: true },
  { id: 'other', name: '', system: '', reads: 'both', query: '?sender=Vietcombank' },
]
