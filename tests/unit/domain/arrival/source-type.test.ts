import { expect } from 'chai'
import { sourceTypeAtUrl, sourceTypeOf } from '../../../../domain/arrival/source-type.ts'

describe('the source type at the personal URL', () => {
  it('is sms with a sender or an SMS app, notification with a package, otherwise api', () => {
    expect(sourceTypeAtUrl({ sender: 'Vietcombank' })).to.equal('sms')
    expect(sourceTypeAtUrl({ sender: 'Vietcombank', package: 'com.VCB' })).to.equal('sms')
    expect(sourceTypeAtUrl({ package: 'com.google.android.apps.messaging' })).to.equal('sms')
    expect(sourceTypeAtUrl({ package: 'com.VCB' })).to.equal('notification')
    expect(sourceTypeAtUrl({ sender: '', package: 'com.VCB' })).to.equal('notification')
    expect(sourceTypeAtUrl({ sender: '' })).to.equal('sms')
    expect(sourceTypeAtUrl({})).to.equal('api')
  })

  it('of an old event follows from its fields or its source, where they say enough', () => {
    const of = (source: string, source_type: 'api' | 'sms' | 'email' = 'api') => sourceTypeOf({ source, source_type })
    expect(of('url:VIETCOMBANK')).to.equal('sms')
    expect(of('url:com.VCB')).to.equal('notification')
    for (const source of ['url', 'url:sms', 'url:push']) expect(of(source), source).to.equal('api')
    expect(of('device-7:sms', 'sms')).to.equal('sms')
    expect(of('mailbox-3', 'email')).to.equal('email')
    expect(sourceTypeOf({ source: 'url:push', source_type: 'api' }, { sender: null, package: 'com.VCB' })).to.equal(
      'notification',
    )
  })
})
