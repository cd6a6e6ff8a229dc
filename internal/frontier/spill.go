package frontier

import (
	"os"
	"runtime"
)

// spill is a temporary file, of a Queue's segments or an Index's run. It makes the file at the first write.
type spill struct {
	dir  string
	file *os.File
	end  int64
	live int64 // bytes written and not yet read
}

// wasteBytes is how large the file may grow before it matters that most of it was read.
const wasteBytes = 64 << 20

func (s *spill) wasteful() bool { return s.end > wasteBytes && s.live < s.end/4 }

func (s *spill) write(data []byte) (off int64, err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, "amble-frontier-*"); err != nil {
			return 0, spillErr(err)
		}
		if runtime.GOOS != "windows" {
			os.Remove(s.file.Name()) // so that nothing stays behind, however the process ends
		}
	}
	if _, err := s.file.WriteAt(data, s.end); err != nil {
		return 0, spillErr(err)
	}
	off = s.end
	s.end += int64(len(data))
	s.live += int64(len(data))
	return off, nil
}

// read returns a segment and gives up its place.
func (s *spill) read(off int64, size int) ([]byte, error) {
	data, err := s.peek(off, size)
	if err != nil {
		return nil, err
	}
	if s.live -= int64(size); s.live == 0 {
		s.end = 0
		s.file.Truncate(0) // only to give room back early
	}
	return data, nil
}

func (s *spill) peek(off int64, size int) ([]byte, error) {
	data := make([]byte, size)
	return data, s.readAt(data, off)
}

func (s *spill) readAt(data []byte, off int64) error {
	if _, err := s.file.ReadAt(data, off); err != nil {
		return spillErr(err)
	}
	return nil
}

func (s *spill) close() {
	if s.file != nil {
		s.file.Close()
		if runtime.GOOS == "windows" {
			os.Remove(s.file.Name())
		}
	}
}
