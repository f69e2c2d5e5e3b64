// Tests: tests/integration/http/languages.test.ts
/** Mails and alerts in Vietnamese. */
import { closed, formatsOf } from './formats.ts'
import { mailboxReason } from './mailbox-reasons.ts'
import type { Texts } from './types.ts'

const shown = formatsOf('vi')

const lines = (...all: string[]) => `${all.join('\n')}\n`

const UNSAFE = {
  duplicate_key: 'JSON có một trường xuất hiện hai lần',
  two_names:
    'JSON ghi một trường dưới hai tên với hai giá trị khác nhau, hoặc ghi ứng dụng ngân hàng nhưng người gửi là tên một người',
  broken_json: 'dữ liệu không phải JSON hợp lệ, hoặc không trường nào có nội dung tin',
}

const inWords = (minutes: number): string => {
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} giờ` : `${Math.round(hours / 24)} ngày`
}

export const vi: Texts = {
  letters: {
    verify_email: (url) => ({
      subject: 'Xác nhận địa chỉ email của bạn',
      text: lines(
        'Có người vừa đăng ký tài khoản Baoco bằng địa chỉ email này.',
        'Nếu đúng là bạn, hãy mở liên kết sau trong vòng 24 giờ để xác nhận địa chỉ này:',
        '',
        url,
        '',
        'Nếu không phải bạn, hãy bỏ qua thư này: chưa mở liên kết thì tài khoản chưa dùng được.',
      ),
    }),
    reset_password: (url) => ({
      subject: 'Đặt lại mật khẩu',
      text: lines(
        'Có người vừa yêu cầu đặt lại mật khẩu của tài khoản Baoco dùng địa chỉ email này.',
        'Nếu đúng là bạn, hãy mở liên kết sau trong vòng một giờ để đặt mật khẩu mới:',
        '',
        url,
        '',
        'Sau khi đổi mật khẩu, mọi phiên đăng nhập của tài khoản sẽ kết thúc. Khóa API vẫn giữ nguyên, trừ khi bạn chọn “Có người khác từng vào tài khoản của tôi”. Nếu không phải bạn, hãy bỏ qua thư này: mật khẩu của bạn không đổi.',
      ),
    }),
    confirmAgain: (url, forgot) => ({
      subject: 'Xác nhận địa chỉ email của bạn',
      text: lines(
        'Địa chỉ email này vừa được đăng ký tài khoản Baoco thêm một lần nữa. Lần đăng ký mới nhất được tính, cùng với mật khẩu của lần đó.',
        'Các liên kết xác nhận trước đây không còn dùng được. Nếu đúng là bạn, hãy mở liên kết sau trong vòng 24 giờ:',
        '',
        url,
        '',
        'Nếu bạn chỉ đăng ký một lần, nghĩa là người khác cũng đã đăng ký bằng địa chỉ của bạn và biết mật khẩu đó. Khi ấy đừng mở liên kết.',
        `Hãy tự đặt mật khẩu của bạn tại đây: ${forgot}`,
      ),
    }),
    registeredAlready: (login, forgot) => ({
      subject: 'Bạn đã có tài khoản',
      text: lines(
        'Có người vừa thử đăng ký tài khoản Baoco bằng địa chỉ email này. Địa chỉ này đã có tài khoản, nên không có gì thay đổi.',
        '',
        `Đăng nhập:      ${login}`,
        `Quên mật khẩu:  ${forgot}`,
      ),
    }),
    quota: ({ email, user_id, plan, month, transactions, limit }) => ({
      subject: `Baoco: ${email} đã dùng ${Math.floor((transactions * 100) / limit)}% số giao dịch của tháng này`,
      text:
        `${email} (tài khoản ${user_id}) đã có ${shown.count(transactions)} giao dịch trong tháng ${shown.month(month)}; gói ${plan} ` +
        `có ${shown.count(limit)} giao dịch mỗi tháng.\n\nKhi vượt hạn mức, webhook vẫn được gửi nhưng chậm hơn.\n`,
    }),
    diskFull: {
      refusing: {
        subject: 'Baoco: ổ đĩa đã đầy, không nhận được tin báo mới',
        text: lines(
          'Ổ đĩa chứa dữ liệu đã đầy nên Baoco từ chối tin báo mới. Điện thoại sẽ gửi lại sau.',
          'Những gì đã nhận thì không mất. Hãy dọn bớt hoặc mở rộng ổ đĩa: sau đó Baoco tự chạy tiếp.',
        ),
      },
      waiting: {
        subject: 'Baoco: ổ đĩa của Postgres đã đầy, webhook phải chờ',
        text: lines(
          'Ổ đĩa của Postgres đã đầy. Baoco vẫn nhận tin báo, nhưng danh sách và webhook phải chờ.',
          'Không có gì bị mất. Hãy dọn bớt hoặc mở rộng ổ đĩa: sau đó Baoco tự chạy tiếp.',
        ),
      },
    },
    alert: {
      subjects: {
        endpoint_failing: 'một địa chỉ nhận webhook liên tục lỗi',
        source_silent: 'một nguồn đã ngừng gửi tin báo',
        quota_80: 'đã dùng gần hết số giao dịch của tháng này',
        rule_paused: 'một webhook đã bị tạm dừng',
        new_bank_account: 'có tài khoản ngân hàng mới',
        contradicting_copy: 'hai tin báo của cùng một khoản tiền không khớp nhau',
        old_notification: 'một tin báo cũ đã được ghi nhưng không được gửi đi',
        unsafe_forwarder: 'ứng dụng chuyển tiếp gửi dữ liệu không an toàn',
        mailbox_paused: 'một hộp thư không còn được đọc',
        mailbox_failing: 'không đọc được hộp thư',
        mail_skipped: 'có một thư không đọc được',
        disk_low: 'ổ đĩa sắp đầy',
        stream_parked: 'một sự kiện không dùng được',
        clock_differs: 'có đồng hồ chạy sai',
        store_went_back: 'kho sự kiện bị mất giao dịch',
      },
      link: (url) => `Xác nhận tại đây, trong vòng bảy ngày:\n${url}`,
      since: (at, end) =>
        `Từ ${shown.moment(at)}.${end === 'mail' ? ' Khi hết lỗi, bạn sẽ nhận được thư.' : end === 'today' ? ' Trang Hôm nay hiện cảnh báo này đến khi việc này kết thúc.' : ''}`,
      ended: (endpoint, until) => ({
        subject: 'Baoco: địa chỉ nhận webhook đã hoạt động lại',
        text: `Địa chỉ ${endpoint} đã hoạt động lại từ ${shown.moment(until)}. Các webhook đang chờ sẽ được gửi đi.\n`,
      }),
    },
  },
  alerts: {
    rulePaused: (rule, name) =>
      `Webhook “${name}” (số ${rule}) đã bị tạm dừng: địa chỉ nhận trả lời rằng nó không còn nữa (410). ` +
      'Các lần gửi đang chờ sẽ tiếp tục khi bạn sửa địa chỉ và bật webhook lại. Giao dịch đến trước lúc đó không được gửi: hãy so khớp lại sau khi bật.',
    mailboxPaused: (address, reason) =>
      `Hộp thư ${address} đã bị tạm dừng: ${closed(mailboxReason(reason))} ` +
      'Hiện thư trong hộp này không được đọc. Hãy kiểm tra máy chủ, rồi bấm Sửa ở trang Nguồn và lưu lại hộp thư.',
    mailboxFailing: (username, host, reason) =>
      `Không đọc được hộp thư ${username} trên ${host}. ${closed(mailboxReason(reason))} Thư không mất: Baoco sẽ đọc tiếp ngay khi hộp thư hoạt động lại. ` +
      'Hãy kiểm tra máy chủ và mật khẩu (một số nhà cung cấp cần mật khẩu ứng dụng), rồi bấm Thử ở trang Nguồn.',
    mailSkipped: (notification, address, facts) =>
      `Máy chủ của hộp thư ${address} có một thư nhưng không cho tải về (${facts}). Baoco đã thử nhiều lần rồi bỏ qua thư này. ` +
      `Tin báo ${notification} ghi lại việc đó. Nếu đó là thư của ngân hàng, hãy đối chiếu với các giao dịch của bạn.`,
    diskLow: (freeMb, share, leastMb) =>
      `Ổ đĩa chứa dữ liệu chỉ còn ${shown.count(freeMb)} MB, tức ${shown.percent(share)}. ` +
      `Khi còn dưới ${shown.count(leastMb)} MB, Baoco từ chối tin báo mới và điện thoại sẽ gửi lại sau. Hãy dọn bớt hoặc mở rộng ổ đĩa.`,
    serverDiskLow: (server, place, freeMb, share) =>
      `Ổ đĩa của ${server}${place === null ? '' : ` (${place})`} chỉ còn ${shown.count(freeMb)} MB, tức ${shown.percent(share)}. ` +
      'Khi hết chỗ, Baoco từ chối tin báo mới và điện thoại sẽ gửi lại sau. Hãy dọn bớt hoặc mở rộng ổ đĩa.',
    streamParked: (stream, reason) =>
      `Một sự kiện của luồng ${stream} không dùng được (${reason}). Những gì đến sau trong luồng này phải chờ; mọi thứ khác vẫn chạy. ` +
      'Nếu sự kiện do một bản mới hơn ghi, hãy cập nhật mọi tiến trình: sự kiện sẽ tự được thử lại. ' +
      'Lệnh baoco parked list cho xem sự kiện, lệnh baoco parked skip làm Baoco bỏ qua nó mãi mãi.',
    clockDiffers: (machine, seconds, isAhead) =>
      `Đồng hồ của máy ${machine} ${isAhead ? 'nhanh hơn' : 'chậm hơn'} đồng hồ của cơ sở dữ liệu ${seconds} giây. Một trong hai đang sai. ` +
      'Khi đó giờ của giao dịch, của lần gửi lại và của phiên đăng nhập cũng sai, và cửa hàng có thể từ chối webhook. Hãy đồng bộ cả hai đồng hồ, chẳng hạn bằng NTP.',
    bankAccountSeen: (bank, ending, waits) =>
      `Một tin báo nhắc đến tài khoản ngân hàng chưa từng thấy: ${bank}, số cuối ${ending}. ` +
      (waits
        ? 'Tiền vào tài khoản này đang chờ: chưa có gì được gửi đi cho đến khi bạn xác nhận số tài khoản. ' +
          'Nếu là tài khoản của bạn, hãy xác nhận ở danh sách tài khoản ngân hàng hoặc bằng nút trong liên kết của thư. ' +
          'Nếu không phải, hãy tắt tài khoản đó.'
        : 'Tài khoản này được tính là của bạn, vì số mới được tính trong 24 giờ đầu và trong lúc bạn cho Baoco học số mới. ' +
          'Nếu không phải của bạn, hãy tắt nó: giao dịch của nó sẽ không được gửi đi đâu.'),
    quota: (transactions, limit, month) =>
      `Bạn đã dùng ${shown.count(transactions)} trên ${shown.count(limit)} giao dịch mà gói của bạn có trong tháng ${shown.month(month)}. ` +
      'Khi vượt hạn mức, webhook vẫn được gửi nhưng chậm hơn; khi nâng gói, webhook lại được gửi ngay.',
    endpointFailing: (endpoint, failures, last) =>
      `Địa chỉ ${endpoint} liên tục lỗi: ${failures} lần gọi liên tiếp` +
      (last === null
        ? ''
        : typeof last === 'number'
          ? `, lần cuối trả lời ${last}`
          : `, lần cuối không trả lời (${last})`) +
      '. Hiện Baoco chỉ gọi thử 30 giây một lần, các webhook khác phải chờ; khi địa chỉ trả lời lại, chúng sẽ được gửi tiếp.',
    ruleRefused: (rule, name, calls, status) =>
      `Địa chỉ nhận của webhook “${name}” (số ${rule}) có trả lời, nhưng không nhận lần nào trong ${calls} lần gửi gần nhất. Lần cuối trả lời ${status}. ` +
      'Trang Chưa báo được cho xem câu trả lời và cách sửa. Mỗi webhook được gửi lại vài lần. Khi địa chỉ đã nhận, hãy gửi lại những gì đã thất bại.',
    sourceSilent: (source, minutes) =>
      `${source} đã ${inWords(minutes)} không gửi tin nào, lâu hơn khoảng nghỉ thường lệ. Hãy kiểm tra xem nó còn chạy không.`,
    sources: {
      device: (name) => `Điện thoại “${name}”`,
      key: (name) => `Ứng dụng dùng khóa “${name}”`,
      mailbox: (email) => `Hộp thư ${email}`,
      url: 'Ứng dụng gửi tới đường dẫn riêng của bạn',
    },
    unsafe: (id, why) =>
      `Tin ${id} không được tính: ${UNSAFE[why]}. Với dữ liệu như vậy, nội dung chuyển khoản có thể giả một trường và làm giả báo có. ` +
      'Hãy sửa mẫu của ứng dụng chuyển tiếp: gửi nội dung dạng text/plain, còn sender hoặc package thì ghi trong địa chỉ, ' +
      'như ở trang Nguồn. Nếu tin này là thật, hãy xác nhận ở trang Tin chưa đọc được.',
    contradicting: (first, second, counts, other) =>
      `Giao dịch ${first} và ${second} là tin báo của cùng một khoản tiền, nhưng có mã đơn khác nhau: ` +
      `${counts} và ${other}. Chỉ ${counts} được tính, không có gì được gửi cho ${other}. Hãy đối soát với sao kê ngân hàng ` +
      'xem đơn nào đã được trả tiền, và sửa đơn trong cửa hàng nếu cần.',
    cameBack: (first, second, order) =>
      `Giao dịch ${first} và ${second} là tin báo của cùng một khoản tiền. Tin đầu được tính cho đơn ${order}, nhưng tin sau ` +
      'ghi là tiền hoàn trả: một lệnh chuyển của bạn không thành công hoặc bị trả lại. Hãy đối soát với sao kê ngân hàng ' +
      `xem đơn ${order} đã được trả tiền chưa, và sửa đơn trong cửa hàng nếu cần.`,
    old: (transaction) =>
      `Giao dịch ${transaction} được ghi từ một tin báo đã cũ khi đến nơi. Baoco không gửi gì tới cửa hàng cho giao dịch này, ` +
      'cũng như cho các tin cũ khác của cùng nguồn. Nếu cửa hàng chưa biết khoản tiền này, hãy mở giao dịch và so khớp lại. ' +
      'Nếu bạn không chờ tin cũ nào, hãy kiểm tra ngày giờ của điện thoại.',
    storeWentBack: (missing, listed, isCut) =>
      'Kho sự kiện đang ở trạng thái cũ hơn trước. ' +
      (missing > 0
        ? `Thiếu ${missing} giao dịch đã biết: ${listed}${isCut ? ', … (nhật ký có đủ)' : ''}.`
        : 'Không rõ thiếu những giao dịch nào.') +
      ' Webhook của chúng có thể đã được gửi. Nếu có bản sao lưu mới hơn, hãy dừng Baoco và khôi phục bản đó. Nếu không, hãy đối soát với sao kê ngân hàng. Số của các giao dịch bị thiếu sẽ không được dùng lại.',
  },
}
